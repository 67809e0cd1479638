// near2.h: the two nearest squared distances of every row, by brute force.
//
//   par[i] = smallest and second smallest of |x_i - y_j|^2 over j; then ap_radius adds
//            the squared radius of candidates
//
// Shapes   x n x 3, y m x 3, par n x 4, float32; n, m >= 1. A missing second is inf.
// Launch   a block a tile of 128 rows, z the direction, 256 threads. Each of 8 warps
//          takes an eighth of y in runs of 128 points staged in shared memory; a lane
//          keeps 4 rows in registers. The warps meet once, at the end.
// Rounding every product and sum by itself: two instructions a pair more than with
//          fma buy bits that do not depend on the compiler.
//
// Counted in SASS for sm_90 of the same loop: 11.5 instructions a pair = 5 FADD,
// 3 FMUL, 3 FMNMX, a quarter of an LDS.128 and the loop. Floor on H200 (132 SM x 128
// lanes x 1.98 GHz), both directions at n = m = 16,384: 0.19 ms.
#pragma once
#include "common.h"

AP_KERNEL(ap_near2, ap_args, THREADS) {
  __shared__ float4 staged[WARPS][STAGED];
  __shared__ float2 found[WARPS][AP_TILE];
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  const float *x = d.s + 3 * d.s0, *y = d.o + 3 * d.o0;
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  float px[ROWS], py[ROWS], pz[ROWS];
  near2 n[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = t.row + r * 32 + lane;
    i = i < d.n ? i : d.n - 1;
    px[r] = x[3 * (int64_t)i], py[r] = x[3 * (int64_t)i + 1], pz[r] = x[3 * (int64_t)i + 2];
    n[r].a = n[r].b = AP_INF;
  }
  int per = (d.m + WARPS - 1) / WARPS, j0 = w * per, j1 = j0 + per < d.m ? j0 + per : d.m;
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
      for (int r = 0; r < ROWS; r++) near2_push(n[r], ap_near_square(px[r], py[r], pz[r], q.x, q.y, q.z));
    }
    AP_PAIRS(STAGED * ROWS);
    __syncwarp();
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) found[w][r * 32 + lane] = make_float2(n[r].a, n[r].b);
  __syncthreads();
  int q = threadIdx.x;
  if (q >= AP_TILE || t.row + q >= d.n) return;
  near2 best;
  best.a = found[0][q].x, best.b = found[0][q].y;
  for (int k = 1; k < WARPS; k++) {
    near2 o;
    o.a = found[k][q].x, o.b = found[k][q].y;
    near2_merge(best, o);
  }
  ((float4 *)(dir ? A.pary : A.parx))[d.s0 + t.row + q] = ap_par(best);
}

// The squared radius of candidates, from the two nearest and the support factor.
AP_KERNEL(ap_radius, ap_args, AP_TILE) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  int r = t.row + (int)threadIdx.x;
  if (r >= d.n) return;
  float4 *par = (float4 *)(dir ? A.pary : A.parx) + d.s0 + r;
  near2 n;
  n.a = par->x, n.b = par->y;
  par->z = ap_radius2(n, d.rho, A.margin / d.p->unit, A.reference);
}
