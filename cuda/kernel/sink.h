// sink.h: half a round of balancing in scaling form. Gather only, no atomics.
//
//   u_i <- w_i u_i / (u_i sum_j K_ij v_j + 1e-8)                    rows, then columns alike
//   u_i <- w_i / sum_j K_ij v_j where u_i times that is above 1e-8  published code
//
// Tied rows and columns add u_i (alpha_i + beta_j) v_j to every pair: ap_tiesum
// has the sums over all points that this needs; merged by count, a pair of both
// has half of it.
//
// Scalings drift geometrically, by a factor of a cluster's imbalance a round:
// double, and every 32 rounds ap_absorb moves powers of two from them into K,
// which rounds nothing. Each grows by at most 1e8 a round.
//
// Launch   a block a tile, 256 threads, 8 lanes a row; ap_tiesum a block a pair and
//          z the direction whose points are summed; ap_absorb and ap_put, z the direction.
// Bytes    8 an entry and half a round streamed, 8 gathered.
#pragma once
#include "common.h"

#define TINY 1e-8
#define HUGEST 1e290 // where a scaling stops to grow: a row whose every entry has vanished would end as inf * 0

AP_DEV bool ap_uniform(const double *dir, int64_t i) { return dir[4 * i + 1] == ap_minus_inf(); }

// Line i of the rank-one terms times w.
AP_DEV double ap_rank_one(const ap_args &A, int pair, int dir, int64_t i) {
  if (!A.ties) return 0.0;
  const double *me = dir ? A.diry : A.dirx, *t = A.tie + ((int64_t)pair * 2 + (dir ? 0 : 1)) * 4;
  if (!ap_uniform(me, i)) return t[1];
  double alpha = me[4 * i + 3], v = alpha * t[0] + t[1];
  return A.count ? v - (alpha * t[2] + t[1]) * 0.5 : v;
}

// Sums over the points of one direction: of m w, of tied share m w, of tied m w.
AP_KERNEL(ap_tiesum, ap_args, THREADS) {
  __shared__ double all[THREADS], shares[THREADS], tied[THREADS];
  int dir = blockIdx.z, t = threadIdx.x;
  side d = ap_side(A, blockIdx.x, dir);
  const double *w = dir ? A.v : A.u, *q = dir ? A.diry : A.dirx;
  double a = 0.0, b = 0.0, c = 0.0;
  for (int r = t; r < d.n; r += THREADS) {
    int64_t i = d.s0 + r;
    double v = w[i] * ap_times(d.smult, i);
    a += v;
    if (ap_uniform(q, i)) b = fma(q[4 * i + 3], v, b), c += v;
  }
  all[t] = a, shares[t] = b, tied[t] = c;
  __syncthreads();
  for (int k = THREADS / 2; k; k >>= 1) {
    if (t < k) all[t] += all[t + k], shares[t] += shares[t + k], tied[t] += tied[t + k];
    __syncthreads();
  }
  if (t == 0) {
    double *out = A.tie + ((int64_t)blockIdx.x * 2 + dir) * 4;
    out[0] = all[0], out[1] = shares[0], out[2] = tied[0], out[3] = 0.0;
  }
}

// Sum of a line of the plan before its own scaling; all lanes of the row have it.
AP_DEV double ap_line_sum(const ap_args &A, const side &d, const line &l, int pair, int dir) {
  const int32_t *idx = dir ? A.idxy : A.idxx;
  const void *K = dir ? A.ky : A.kx;
  const double *w = dir ? A.u : A.v;
  double sum = 0.0;
  if (d.omult)
    for (int e = l.lo + l.lane; e < l.hi; e += LANES) sum = fma(ap_get(K, e, A.wide), w[idx[e]] * d.omult[idx[e]], sum);
  else
    for (int e = l.lo + l.lane; e < l.hi; e += LANES) sum = fma(ap_get(K, e, A.wide), w[idx[e]], sum);
  return ap_lanes_sum(sum) + ap_rank_one(A, pair, dir, l.i);
}

AP_DEV void ap_half_round(const ap_args &A, int dir) {
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  double *me = dir ? A.v : A.u;
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, dir, t.row, pass);
    double sum = ap_line_sum(A, d, l, t.pair, dir);
    if (!l.ok || l.lane) continue;
    double u = me[l.i], mass = u * sum;
    if (A.reference && !(mass > TINY)) continue;
    u = A.reference ? u / mass : u / (mass + TINY);
    me[l.i] = ap_min2(u * (d.w ? d.w[l.i] : 1.0), HUGEST);
  }
}
AP_KERNEL(ap_sink_row, ap_args, THREADS) { ap_half_round(A, 0); }
AP_KERNEL(ap_sink_col, ap_args, THREADS) { ap_half_round(A, 1); }

// The power of two of a scaling: v = f 2^n with f in [1/2, 1); 0 of 0.
AP_DEV int ap_exponent(double v) {
  int e = (int)(__builtin_bit_cast(long long, v) >> 52 & 2047);
  return e ? e - 1022 : 0; // smaller than 2^-1022: left as it is
}

AP_KERNEL(ap_absorb, ap_args, THREADS) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  const int32_t *idx = dir ? A.idxy : A.idxx;
  void *K = dir ? A.ky : A.kx;
  const double *me = dir ? A.v : A.u, *w = dir ? A.u : A.v;
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, dir, t.row, pass);
    int by = ap_exponent(me[l.i]);
    for (int e = l.lo + l.lane; e < l.hi; e += LANES)
      ap_set(K, e, A.wide, ap_scale(ap_get(K, e, A.wide), by + ap_exponent(w[idx[e]])));
  }
}
AP_KERNEL(ap_put, ap_args, AP_TILE) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  int r = t.row + (int)threadIdx.x;
  if (r >= d.n) return;
  double *me = (dir ? A.v : A.u) + d.s0 + r;
  int32_t *put = (dir ? A.puty : A.putx) + d.s0 + r;
  int by = ap_exponent(*me);
  *me = ap_scale(*me, -by);
  *put += by;
  if (*me > 0.0) atomicMax(A.base + 2 * t.pair + dir, *put);
}
