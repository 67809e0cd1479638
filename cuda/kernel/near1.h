// near1.h: the nearest neighbour of every point, with its index, both ways.
//
//   index[i] = the lowest j of least |x_i - y_j|^2, square[i] = that square in double
//
// Shapes   par n x 2 float (two smallest squares), index n int32 within the other
//          cloud, square n double.
// Launch   ap_near1 like ap_near2. ap_near1_exact a block a tile, 256 threads, a warp
//          a row: a second square over 1.000001 times the first leaves the winner
//          certain; otherwise all points again in double.
//
// Counted in SASS for sm_90 of the same loop: 13.6 instructions a pair.
#pragma once
#include "common.h"

AP_KERNEL(ap_near1, ap_near, THREADS) {
  __shared__ float4 staged[WARPS][STAGED];
  __shared__ float2 found[WARPS][AP_TILE];
  __shared__ int which[WARPS][AP_TILE];
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  const ap_pair *p = A.pair + t.pair;
  int n = dir ? p->m : p->n, m = dir ? p->n : p->m, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int64_t s0 = dir ? p->y0 : p->x0, o0 = dir ? p->x0 : p->y0;
  const float *x = (dir ? A.y : A.x) + 3 * s0, *y = (dir ? A.x : A.y) + 3 * o0;
  float px[ROWS], py[ROWS], pz[ROWS];
  near2 best[ROWS];
  int at[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = t.row + r * 32 + lane;
    i = i < n ? i : n - 1;
    px[r] = x[3 * (int64_t)i], py[r] = x[3 * (int64_t)i + 1], pz[r] = x[3 * (int64_t)i + 2];
    best[r].a = best[r].b = AP_INF, at[r] = 0;
  }
  int per = (m + WARPS - 1) / WARPS, j0 = w * per, j1 = j0 + per < m ? j0 + per : m;
  for (int j = j0; j < j1; j += STAGED) {
    int c = j1 - j < STAGED ? j1 - j : STAGED;
    for (int k = lane; k < STAGED; k += 32) {
      const float *q = y + 3 * (int64_t)(j + k);
      staged[w][k] = k < c ? make_float4(q[0], q[1], q[2], 0.f) : make_float4(AP_INF, AP_INF, AP_INF, 0.f);
    }
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < STAGED; k++) {
      float4 q = staged[w][k];
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        float d = ap_near_square(px[r], py[r], pz[r], q.x, q.y, q.z);
        at[r] = d < best[r].a ? j + k : at[r];
        near2_push(best[r], d);
      }
    }
    AP_PAIRS(STAGED * ROWS);
    __syncwarp();
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    found[w][r * 32 + lane] = make_float2(best[r].a, best[r].b);
    which[w][r * 32 + lane] = at[r];
  }
  __syncthreads();
  int q = threadIdx.x;
  if (q >= AP_TILE || t.row + q >= n) return;
  near2 b;
  b.a = found[0][q].x, b.b = found[0][q].y;
  int k = which[0][q];
  for (int v = 1; v < WARPS; v++) {
    near2 o;
    o.a = found[v][q].x, o.b = found[v][q].y;
    k = o.a < b.a ? which[v][q] : k;
    near2_merge(b, o);
  }
  ((float2 *)(dir ? A.pary : A.parx))[s0 + t.row + q] = make_float2(b.a, b.b);
  (dir ? A.idy : A.idx)[s0 + t.row + q] = k;
}

AP_KERNEL(ap_near1_exact, ap_near, THREADS) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  const ap_pair *p = A.pair + t.pair;
  int n = dir ? p->m : p->n, m = dir ? p->n : p->m, lane = threadIdx.x & 31;
  int64_t s0 = dir ? p->y0 : p->x0;
  const float *x = (dir ? A.y : A.x) + 3 * s0, *y = (dir ? A.x : A.y) + 3 * (dir ? p->x0 : p->y0);
  for (int r = t.row + ((int)threadIdx.x >> 5); r < t.row + AP_TILE && r < n; r += WARPS) {
    float2 s = ((const float2 *)(dir ? A.pary : A.parx))[s0 + r];
    int *out = (dir ? A.idy : A.idx) + s0 + r, best = *out;
    double d = (double)AP_INF;
    // the lanes of a row agree: one of them reads the same numbers as the others
    if (s.y > s.x * 1.000001f + 1e-37f) d = ap_square(x + 3 * (int64_t)r, y + 3 * (int64_t)best);
    else {
      best = 0x7fffffff;
      for (int j = lane; j < m; j += 32) {
        double e = ap_square(x + 3 * (int64_t)r, y + 3 * (int64_t)j);
        if (e < d) d = e, best = j;
      }
      for (int k = 16; k; k >>= 1) {
        double oe = __shfl_xor_sync(FULL, d, k);
        int oj = __shfl_xor_sync(FULL, best, k);
        bool take = oe < d || (oe == d && oj < best);
        d = take ? oe : d, best = take ? oj : best;
      }
    }
    __syncwarp();
    if (lane == 0) *out = best, (dir ? A.squarey : A.squarex)[s0 + r] = d;
  }
}
