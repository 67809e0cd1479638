// value.h: the plan's entries before balancing, in both orders with the same bits.
//
//   K_ij = q_i 2^(-(d_ij - d1_i) T_i) [kept by row i] + the same of column j
//
// Merged by count, an entry that both sides keep has half of that; what a uniform
// side has in its rank-one term is taken off first, so that such a pair has the
// mean of both. A candidate that both sides refuse keeps its place with K = 0.
//
// Launch   a block a tile, z the direction, 256 threads, 8 lanes a row.
// Sums     row = pairs of original points kept by either side, by the row, by the
//          column, 0; of rows only.
#pragma once
#include "exact.h"

AP_KERNEL(ap_value, ap_args, THREADS) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  const int32_t *idx = dir ? A.idxy : A.idxx;
  void *K = dir ? A.ky : A.kx;
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, dir, t.row, pass);
    const double *me = (dir ? A.diry : A.dirx) + 4 * l.i;
    double any = 0.0, mine = 0.0, others = 0.0;
    for (int e = l.lo + l.lane; e < l.hi; e += LANES) {
      int j = idx[e];
      const double *row = dir ? A.dirx + 4 * (int64_t)j : me, *col = dir ? me : A.diry + 4 * (int64_t)j;
      double v = ap_distance(d, l.i, j), r = v - row[0], c = v - col[0], a = 0.0, b = 0.0, times = ap_times(d.omult, j);
      bool byrow = r < row[1], bycol = c < col[1];
      if (byrow) a = row[3] * (A.wide ? ap_exp2(-r * row[2]) : ap_exp2f(-r * row[2]));
      if (bycol) b = col[3] * (A.wide ? ap_exp2(-c * col[2]) : ap_exp2f(-c * col[2]));
      if (A.count) {
        if (byrow && col[1] == ap_minus_inf()) a = (a - col[3]) * 0.5;
        if (bycol && row[1] == ap_minus_inf()) b = (b - row[3]) * 0.5;
        if (byrow && bycol) a *= 0.5, b *= 0.5;
      }
      ap_set(K, e, A.wide, a + b);
      any += byrow || bycol ? times : 0.0, mine += byrow ? times : 0.0, others += bycol ? times : 0.0;
    }
    any = ap_lanes_sum(any), mine = ap_lanes_sum(mine), others = ap_lanes_sum(others);
    if (!l.ok || l.lane || dir) continue;
    double *row = A.rowx + AP_SUMS * l.i, times = ap_times(d.smult, l.i);
    row[0] = any * times, row[1] = mine * times, row[2] = others * times, row[3] = 0.0;
  }
}
