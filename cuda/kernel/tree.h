// tree.h: the two nearest and the candidates by a walk that leaves boxes out.
// Exact for every distribution, brute force in the worst case; the same bits as
// near2.h and the same sets as mask.h.
//
// Points are sorted by Morton keys of 63 bits (30 bits put a cloud with one far
// outlier into a single cell), in tiles of 32; 32 tiles make a super-tile. A warp
// walks for one tile of asking points: box against box with the warp's bound, then
// each lane's own bound, then 32 x 32 pairs.
//
// Launch   ap_morton, ap_gather 256 threads, a lane a point; ap_box 256 threads, a warp
//          a box; the walks 128 threads, a warp a tile.
// Order    lists by row are ascending in sorted places.
// Emulated pairs visited a point, sphere / cube, at 16,384 points and t = 1e-20: two
// nearest 740 / 1,530, count 650 / 1,520.
#pragma once
#include "common.h"

AP_DEV uint64_t ap_spread_bits(uint64_t v) { // 21 bits to every third bit
  v &= 0x1fffff;
  v = (v | v << 32) & 0x001f00000000ffffull;
  v = (v | v << 16) & 0x001f0000ff0000ffull;
  v = (v | v << 8) & 0x100f00f00f00f00full;
  v = (v | v << 4) & 0x10c30c30c30c30c3ull;
  return (v | v << 2) & 0x1249249249249249ull;
}
AP_DEV uint64_t ap_cell(float p, float lo, float scale) {
  float t = (p - lo) * scale;
  return t >= 2097151.f ? 2097151u : t > 0.f ? (uint64_t)(unsigned)(int)t : 0u; // NaN gives 0
}
AP_KERNEL(ap_morton, ap_key, THREADS) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= A.n) return;
  const float *p = A.p + 3 * (int64_t)i;
  A.key[i] = ap_spread_bits(ap_cell(p[0], A.lo[0], A.scale)) | ap_spread_bits(ap_cell(p[1], A.lo[1], A.scale)) << 1 |
             ap_spread_bits(ap_cell(p[2], A.lo[2], A.scale)) << 2;
  A.val[i] = i;
}
// Point i of the sorted cloud is point val[i] of the other.
AP_KERNEL(ap_gather, ap_key, THREADS) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= A.n) return;
  int from = A.val[i];
  const float *p = A.p + 3 * (int64_t)from;
  float *q = A.sorted + 3 * (int64_t)i;
  ((float4 *)A.sorted4)[i] = make_float4(p[0], p[1], p[2], 0.f);
  q[0] = p[0], q[1] = p[1], q[2] = p[2];
  if (A.w) A.wout[i] = A.w[from];
  if (A.mult) A.multout[i] = A.mult[from];
  A.perm[i] = A.first + from;
}

AP_DEV float ap_warp_min(float v) {
  for (int d = 16; d; d >>= 1) v = fminf(v, __shfl_xor_sync(FULL, v, d));
  return v;
}
AP_DEV float ap_warp_max(float v) {
  for (int d = 16; d; d >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
  return v;
}
AP_KERNEL(ap_box, ap_boxes, THREADS) {
  int w = (int)(blockIdx.x * THREADS + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (w * 32 >= A.n) return; // whole warps
  int i = w * 32 + lane;
  i = i < A.n ? i : A.n - 1;
  const float4 *s = (const float4 *)A.from;
  float4 lo = A.boxes ? s[2 * i] : s[i], hi = A.boxes ? s[2 * i + 1] : lo;
  float m = A.boxes ? hi.w : A.par ? A.par[4 * (int64_t)i + 2] : 0.f;
  float4 a = make_float4(ap_warp_min(lo.x), ap_warp_min(lo.y), ap_warp_min(lo.z), 0.f);
  float4 b = make_float4(ap_warp_max(hi.x), ap_warp_max(hi.y), ap_warp_max(hi.z), ap_warp_max(m));
  if (lane == 0) ((float4 *)A.out)[2 * w] = a, ((float4 *)A.out)[2 * w + 1] = b;
}

// Squared distance of two boxes, less what its rounding may be: never prune on the last bits.
AP_DEV float ap_axis_gap(float alo, float ahi, float blo, float bhi) {
  return fmaxf(fmaxf(blo - ahi, alo - bhi), 0.f);
}
AP_DEV float ap_box_square(float4 al, float4 ah, float4 bl, float4 bh) {
  float x = ap_axis_gap(al.x, ah.x, bl.x, bh.x), y = ap_axis_gap(al.y, ah.y, bl.y, bh.y);
  float z = ap_axis_gap(al.z, ah.z, bl.z, bh.z);
  return fmaf(z, z, fmaf(y, y, x * x)) * 0.999999f;
}
#define WALKERS 4 // warps of a block

enum { NEAREST, COUNT, WRITE };

// walker is one warp's walk.
template <int MODE> struct walker {
  const ap_walk &A;
  float4 *staged; // [32] of this warp
  float *radius;  // [32]
  const float4 *ys, *yb, *ysb, *pary;
  float4 q, lo, hi; // the lane's point, the tile's box
  bool ok;
  int lane, tiles, seed;
  near2 n;
  float r2, bound; // of the lane, of the warp
  int at;

  AP_METHOD void visit(int t) {
    int j = t * 32 + lane;
    bool in = j < A.m;
    // beyond the end: inf loses against every distance, NaN fails every compare
    staged[lane] = in ? ys[j] : make_float4(MODE == NEAREST ? AP_INF : AP_INF - AP_INF, 0.f, 0.f, 0.f);
    if (MODE != NEAREST) radius[lane] = in ? pary[j].z : -1.f;
    __syncwarp();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      float4 p = staged[k];
      float d = ap_near_square(q.x, q.y, q.z, p.x, p.y, p.z);
      if (MODE == NEAREST) near2_push(n, d);
      else if (d <= fmaxf(r2, radius[k])) {
        if (MODE == WRITE && ok && at < A.cap) A.idx[at] = A.other + t * 32 + k;
        at++;
      }
    }
    AP_PAIRS(32);
    __syncwarp();
    if (MODE == NEAREST) bound = ap_warp_max(n.b);
  }
  // The tiles of one super-tile that can matter.
  AP_METHOD void expand(int super) {
    int t = super * 32 + lane;
    bool go = false;
    if (t < tiles && t != seed) {
      float4 h = yb[2 * t + 1];
      go = ap_box_square(lo, hi, yb[2 * t], h) <= fmaxf(bound, MODE == NEAREST ? 0.f : h.w);
    }
    AP_BOXES(32);
    for (unsigned left = __ballot_sync(FULL, go); left; left &= left - 1) {
      int next = super * 32 + __ffs((int)left) - 1;
      float4 bl = yb[2 * next], bh = yb[2 * next + 1];
      float d = ap_box_square(q, q, bl, bh);
      AP_BOXES(32);
      if (__ballot_sync(FULL, d <= (MODE == NEAREST ? n.b : fmaxf(r2, bh.w)))) visit(next);
    }
  }
  // The closest tile of the closest super-tile, and then that super-tile: they set
  // the bound. Returns the super-tile.
  AP_METHOD int begin(int supers) {
    float best = AP_INF;
    int at0 = 0;
    for (int s = lane; s < supers; s += 32) {
      float d = ap_box_square(lo, hi, ysb[2 * s], ysb[2 * s + 1]);
      if (d < best) best = d, at0 = s;
    }
    int home = __shfl_sync(FULL, at0, __ffs((int)__ballot_sync(FULL, best == ap_warp_min(best))) - 1);
    int t = home * 32 + lane;
    float d = t < tiles ? ap_box_square(lo, hi, yb[2 * t], yb[2 * t + 1]) : AP_INF;
    seed = home * 32 + __ffs((int)__ballot_sync(FULL, d == ap_warp_min(d))) - 1;
    AP_BOXES(supers + 32);
    visit(seed);
    expand(home);
    return home;
  }
  AP_METHOD void walk(int supers, int home) {
    for (int s0 = 0; s0 < supers; s0 += 32) {
      int s = s0 + lane;
      bool go = false;
      if (s < supers && s != home) {
        float4 h = ysb[2 * s + 1];
        go = ap_box_square(lo, hi, ysb[2 * s], h) <= fmaxf(bound, MODE == NEAREST ? 0.f : h.w);
      }
      AP_BOXES(32);
      for (unsigned left = __ballot_sync(FULL, go); left; left &= left - 1) expand(s0 + __ffs((int)left) - 1);
    }
  }
};

template <int MODE> AP_DEV void ap_tree_walk(const ap_walk &A) {
  __shared__ float4 staged[WALKERS][32];
  __shared__ float radius[WALKERS][32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, tile = (A.block0 + (int)blockIdx.x) * WALKERS + w;
  if (tile * 32 >= A.n) return; // whole warps
  int i = tile * 32 + lane, tiles = (A.m + 31) / 32, supers = (tiles + 31) / 32;
  bool ok = i < A.n;
  i = ok ? i : A.n - 1;
  const float4 *xb = (const float4 *)A.xb;
  near2 none;
  none.a = none.b = AP_INF;
  float r2 = MODE == NEAREST ? 0.f : ((const float4 *)A.parx)[i].z;
  walker<MODE> k = {A, staged[w], radius[w],
                    (const float4 *)A.ys, (const float4 *)A.yb, (const float4 *)A.ysb, (const float4 *)A.pary,
                    ((const float4 *)A.xs)[i], xb[2 * tile], xb[2 * tile + 1],
                    ok, lane, tiles, -1, none,
                    r2, MODE == NEAREST ? AP_INF : ap_warp_max(r2), MODE == WRITE ? A.cnt[A.first + i] : 0};
  int home = MODE == NEAREST ? k.begin(supers) : -1;
  k.walk(supers, home);
  if (!ok) return;
  if (MODE == NEAREST) ((float4 *)A.parx)[i] = ap_par(k.n);
  if (MODE == COUNT) A.cnt[A.first + i] = k.at;
}
AP_KERNEL(ap_tree_near2, ap_walk, WALKERS * 32) { ap_tree_walk<NEAREST>(A); }
AP_KERNEL(ap_tree_count, ap_walk, WALKERS * 32) { ap_tree_walk<COUNT>(A); }
AP_KERNEL(ap_tree_write, ap_walk, WALKERS * 32) { ap_tree_walk<WRITE>(A); }
