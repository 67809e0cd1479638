// grad.h: what is read off the balanced plan P_ij = u_i (K_ij + alpha_i + beta_j) v_j.
//
//   value = sum P_ij d_ij       gradient of x_i = sum_j P_ij (x_i - y_j) / d_ij
//
// 0 where d = 0; the published code divides by max(d, floor). P is held fixed.
// With ties every row walks all points of the other side, in double.
//
// Launch   a block a tile, z the direction, 256 threads, 8 lanes a row.
// Sums     ap_grad: row = value, mass, |mass - target|, and as a maximum that over the
//          target. ap_error: 0, mass, |mass - target|, the same maximum; rows only.
//          ap_bound: u, u q, u q (d1 + R), 0, times 2^(put - base): for the pruned bound.
#pragma once
#include "sink.h"
#include "exact.h"

AP_DEV double ap_target(const side &d, int dir, int64_t i) {
  double w = d.w ? d.w[i] : 1.0;
  return dir ? w : w * ((double)d.p->totalm / (double)d.p->totaln);
}

struct force { double mass, cost, x, y, z; };
AP_DEV void ap_pull(force &f, const side &d, int64_t i, int j, double P, double floor) {
  const float *p = d.s + 3 * i, *q = d.o + 3 * (int64_t)j;
  double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1], z = (double)p[2] - (double)q[2];
  double r = ap_sqrt(fma(z, z, fma(y, y, x * x))), least = ap_max2(r, floor), c = least > 0.0 ? P / least : 0.0;
  f.mass += P, f.cost = fma(P, r, f.cost);
  f.x = fma(c, x, f.x), f.y = fma(c, y, f.y), f.z = fma(c, z, f.z);
}

// What tied rows and columns give to row i, from all points.
AP_DEV void ap_pull_all(force &f, const ap_args &A, const side &d, const line &l, int dir, double floor) {
  const double *me = dir ? A.diry : A.dirx, *other = dir ? A.dirx : A.diry, *w = dir ? A.u : A.v;
  double alpha = ap_uniform(me, l.i) ? me[4 * l.i + 3] : 0.0;
  for (int r = l.lane; r < (l.ok ? d.m : 0); r += LANES) {
    int64_t j = d.o0 + r;
    double beta = ap_uniform(other, j) ? other[4 * j + 3] : 0.0, a = alpha + beta;
    if (A.count && alpha != 0.0 && beta != 0.0) a *= 0.5;
    if (a != 0.0) ap_pull(f, d, l.i, (int)j, a * w[j] * ap_times(d.omult, j), floor);
  }
}

AP_KERNEL(ap_grad, ap_args, THREADS) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  const int32_t *idx = dir ? A.idxy : A.idxx, *perm = dir ? A.permy : A.permx;
  const void *K = dir ? A.ky : A.kx;
  const double *me = dir ? A.v : A.u, *w = dir ? A.u : A.v;
  double floor = A.floor / d.p->unit;
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, dir, t.row, pass);
    force f = {};
    for (int e = l.lo + l.lane; e < l.hi; e += LANES) {
      int j = idx[e];
      double P = ap_get(K, e, A.wide) * w[j] * ap_times(d.omult, j);
      if (P > 0.0 || P < 0.0) ap_pull(f, d, l.i, j, P, floor);
    }
    if (A.ties) ap_pull_all(f, A, d, l, dir, floor);
    f.mass = ap_lanes_sum(f.mass), f.cost = ap_lanes_sum(f.cost);
    f.x = ap_lanes_sum(f.x), f.y = ap_lanes_sum(f.y), f.z = ap_lanes_sum(f.z);
    if (!l.ok || l.lane) continue;
    double u = me[l.i], times = ap_times(d.smult, l.i), target = ap_target(d, dir, l.i), off = u * f.mass - target;
    off = off < 0.0 ? -off : off;
    double *row = (dir ? A.rowy : A.rowx) + AP_SUMS * l.i;
    row[0] = times * u * f.cost * d.p->unit, row[1] = times * u * f.mass, row[2] = times * off, row[3] = off / target;
    double *g = (dir ? A.gy : A.gx) + 3 * (perm ? (int64_t)perm[l.i] : l.i);
    g[0] = u * f.x, g[1] = u * f.y, g[2] = u * f.z;
  }
}

AP_KERNEL(ap_error, ap_args, THREADS) {
  if (!ap_has_tile(A, 0)) return;
  ap_tile t = ap_tile_of(A, 0);
  side d = ap_side(A, t.pair, 0);
  for (int pass = 0; pass < PASSES; pass++) {
    line l = ap_line(A, d, 0, t.row, pass);
    double sum = ap_line_sum(A, d, l, t.pair, 0);
    if (!l.ok || l.lane) continue;
    double mass = A.u[l.i] * sum, target = ap_target(d, 0, l.i), off = mass - target, *row = A.rowx + AP_SUMS * l.i;
    double times = ap_times(d.smult, l.i);
    off = off < 0.0 ? -off : off;
    row[0] = 0.0, row[1] = times * mass, row[2] = times * off, row[3] = off / target;
  }
}

AP_KERNEL(ap_bound, ap_args, AP_TILE) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  int r = t.row + (int)threadIdx.x;
  if (r >= d.n) return;
  int64_t i = d.s0 + r;
  const double *q = (dir ? A.diry : A.dirx) + 4 * i;
  int by = (dir ? A.puty : A.putx)[i] - A.base[2 * t.pair + dir];
  double u = ap_scale((dir ? A.v : A.u)[i], by) * ap_times(d.smult, i);
  bool drops = q[1] > ap_minus_inf() && q[1] < (double)AP_INF;
  double *row = (dir ? A.rowy : A.rowx) + AP_SUMS * i;
  row[0] = u, row[1] = drops ? u * q[3] : 0.0, row[2] = drops ? u * q[3] * (q[0] + q[1]) : 0.0, row[3] = 0.0;
}
