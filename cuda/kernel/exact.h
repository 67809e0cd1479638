// exact.h: what is decided in double, over the candidates of every row:
//
//   d1, d2   the two nearest distances, with multiplicity
//   gap      d2 - d1 + margin, or max(d2 - d1, margin) of the published code
//   R        rho * gap; an entry is kept iff d - d1 < R, strictly
//   q        share * weight / sum over kept entries of multiplicity * 2^(-(d - d1) l log2(e) / gap)
//
// A row whose two nearest are equally far is uniform over all points if the rule
// of ties says so: then R = -inf, nothing is kept, and q is what each pair gets; with
// a support factor of infinity every pair is kept, with q each.
// Subtract and compare, no exponential decides: the CPU keeps the same pairs.
//
// Launch   a block a tile of 128 rows, z the direction, 256 threads: 8 lanes a row,
//          4 passes. The order of every sum depends on the row's length alone.
// Sums     row = tied points, points with a gap below the margin, 0, 0.
#pragma once
#include "common.h"

AP_DEV double ap_distance(const side &d, int64_t i, int j) {
  return ap_sqrt(ap_square(d.s + 3 * i, d.o + 3 * (int64_t)j)) * d.p->unit;
}

// ap_spread sums half the logarithm of (second / smallest) squared distance: from
// it the threshold is chosen, so float is enough. Sums: row = that, 1 or 0, 0, 0.
AP_KERNEL(ap_spread, ap_args, AP_TILE) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  int r = t.row + (int)threadIdx.x;
  if (r >= d.n) return;
  float4 p = ((const float4 *)(dir ? A.pary : A.parx))[d.s0 + r];
  bool counts = p.x > 0.f && p.y < AP_INF;
  double *out = (dir ? A.rowy : A.rowx) + AP_SUMS * (d.s0 + r);
  // normal doubles both, whatever floats they come from
  out[0] = counts ? 0.34657359027997264 * (ap_log2((double)p.y) - ap_log2((double)p.x)) : 0.0;
  out[1] = counts ? 1.0 : 0.0, out[2] = out[3] = 0.0;
}

// The two nearest of a row: distance of each, and the point of the first.
struct two { double a, b; int first; };
AP_DEV two ap_two(const side &d, const line &l, const int32_t *idx) {
  two n;
  n.a = n.b = (double)AP_INF, n.first = 0x7fffffff;
  for (int e = l.lo + l.lane; e < l.hi; e += LANES) {
    int j = idx[e];
    double v = ap_square(d.s + 3 * l.i, d.o + 3 * (int64_t)j);
    if (v < n.a) n.b = n.a, n.a = v, n.first = j;
    else if (v < n.b) n.b = v;
  }
  for (int k = LANES / 2; k; k >>= 1) {
    double oa = __shfl_xor_sync(FULL, n.a, k), ob = __shfl_xor_sync(FULL, n.b, k);
    int of = __shfl_xor_sync(FULL, n.first, k);
    bool take = oa < n.a || (oa == n.a && of < n.first);
    n.b = ap_min2(ap_max2(n.a, oa), ap_min2(n.b, ob));
    n.first = take ? of : n.first;
    n.a = take ? oa : n.a;
  }
  return n;
}

AP_KERNEL(ap_exact, ap_args, THREADS) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  const int32_t *idx = dir ? A.idxy : A.idxx;
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, dir, t.row, pass);
    two n = ap_two(d, l, idx);
    if (l.ok && d.omult && d.omult[n.first] > 1) n.b = n.a;
    double d1 = ap_sqrt(n.a) * d.p->unit, gap = ap_sqrt(n.b) * d.p->unit - d1;
    bool alone = d.total == 1, tied = !alone && gap == 0.0, uniform = tied && A.uniform;
    bool all = uniform && !(d.rho < (double)AP_INF);
    double g = alone ? 1.0 : A.reference ? ap_max2(gap, A.margin) : gap + A.margin;
    double R = all ? (double)AP_INF : uniform ? ap_minus_inf() : d.rho * g;
    double T = uniform ? 0.0 : d.logterm / g, sum = 0.0;
    for (int e = l.lo + l.lane; e < l.hi; e += LANES) {
      double v = ap_distance(d, l.i, idx[e]) - d1;
      if (v < R) sum += ap_times(d.omult, idx[e]) * (A.wide ? ap_exp2(-v * T) : ap_exp2f(-v * T));
    }
    sum = ap_lanes_sum(sum);
    if (!l.ok || l.lane) continue;
    double *q = (dir ? A.diry : A.dirx) + 4 * l.i, *row = (dir ? A.rowy : A.rowx) + AP_SUMS * l.i;
    double share = A.share * (d.w ? d.w[l.i] : 1.0), times = ap_times(d.smult, l.i);
    q[0] = d1, q[1] = R, q[2] = T, q[3] = uniform ? share / d.total : share / sum;
    row[0] = tied ? times : 0.0, row[1] = !alone && !tied && gap < A.margin ? times : 0.0, row[2] = row[3] = 0.0;
    (dir ? A.v : A.u)[l.i] = 1.0;
    (dir ? A.puty : A.putx)[l.i] = 0;
    if (uniform && !all) atomicOr(A.flags + AP_FLAG_TIES, dir ? 2 : 1);
  }
}
