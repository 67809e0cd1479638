// soft.h: entropic transport of one pair, rows against columns, everything in double:
//
//   sum    L_i = log2 sum_j 2^(h_j - scale c_ij), by a running maximum
//   pull   sum_j e_ij (1, c_ij, x_i - y_j), e_ij = 2^(f_i + h_j - scale c_ij); where the
//          cost is the distance, (x_i - y_j) / c_ij, and 0 between equal points
//
// c is the squared distance or the distance in units of the coordinates, differences
// first; h may be -inf, which is a column of weight zero. With wide set 2^t is good to
// 1e-15, else to 1.2e-7 (float polynomial); exponents are double either way: in float
// they would be off by 2^-24 of the largest cost, whatever eps is.
//
// Shapes   x n x 3, y m x 3 float; h m, f n double; out n, or n x AP_PULL.
// Launch   ap_soft_sum, ap_soft_pull: a block a tile of 128 rows, a thread a row, z the
//          split of the columns; ap_soft_merge, ap_soft_add: a block a tile, splits in turn.
// Order    splits depend on the sizes alone, and so does the order of every sum.
#pragma once
#include "common.h"

#define SOFT_STEP 4     // columns between two looks at the maximum
#define SOFT_LOW -1e300 // where the running maximum begins: never inf - inf

struct soft_row { double x, y, z; };
AP_DEV soft_row ap_soft_row(const float *p, int64_t i) {
  soft_row r;
  r.x = p[3 * i], r.y = p[3 * i + 1], r.z = p[3 * i + 2];
  return r;
}

// Columns j to j + AP_TILE of a split: points, and exponents that are -inf behind its end.
AP_DEV void ap_soft_stage(const ap_soft &A, int j, int end, float4 *point, double *bias) {
  int t = threadIdx.x, k = j + t < end ? j + t : end - 1;
  point[t] = make_float4(A.y[3 * (int64_t)k], A.y[3 * (int64_t)k + 1], A.y[3 * (int64_t)k + 2], 0.f);
  bias[t] = j + t < end ? A.h[k] : ap_minus_inf();
}

// The difference of row and column, and its cost.
AP_DEV double ap_soft_cost(const ap_soft &A, const soft_row &r, const float4 &q, soft_row &d) {
  d.x = r.x - (double)q.x, d.y = r.y - (double)q.y, d.z = r.z - (double)q.z;
  double xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z, s = (xx + yy) + zz;
  return A.plain ? ap_sqrt(s) : s;
}
AP_DEV double ap_soft_power(const ap_soft &A, double t) { return A.wide ? ap_exp2(t) : ap_exp2f(t); }

AP_KERNEL(ap_soft_sum, ap_soft, AP_TILE) {
  __shared__ float4 point[AP_TILE];
  __shared__ double bias[AP_TILE];
  int i = (A.tile0 + (int)blockIdx.x) * AP_TILE + (int)threadIdx.x;
  soft_row r = ap_soft_row(A.x, i < A.n ? i : A.n - 1), d;
  int j0 = (int)blockIdx.z * A.per, end = A.m - j0 < A.per ? A.m : j0 + A.per;
  double most = SOFT_LOW, sum = 0.0;
  for (int j = j0; j < end; j += AP_TILE) {
    ap_soft_stage(A, j, end, point, bias);
    __syncthreads();
    for (int k = 0; k < AP_TILE; k += SOFT_STEP) {
      double s[SOFT_STEP], top = most;
#pragma unroll
      for (int q = 0; q < SOFT_STEP; q++) {
        s[q] = bias[k + q] - A.scale * ap_soft_cost(A, r, point[k + q], d);
        top = ap_max2(top, s[q]);
      }
      if (top > most) sum *= ap_soft_power(A, most - top), most = top;
#pragma unroll
      for (int q = 0; q < SOFT_STEP; q++) sum += ap_soft_power(A, s[q] - most);
    }
    AP_PAIRS(AP_TILE);
    __syncthreads();
  }
  if (i >= A.n) return;
  double *out = A.part + 2 * ((int64_t)blockIdx.z * A.n + i);
  out[0] = most, out[1] = sum;
}

AP_KERNEL(ap_soft_merge, ap_soft, AP_TILE) {
  int i = (A.tile0 + (int)blockIdx.x) * AP_TILE + (int)threadIdx.x;
  if (i >= A.n) return;
  double most = SOFT_LOW, sum = 0.0;
  for (int s = 0; s < A.splits; s++) most = ap_max2(most, A.part[2 * ((int64_t)s * A.n + i)]);
  for (int s = 0; s < A.splits; s++) {
    const double *p = A.part + 2 * ((int64_t)s * A.n + i);
    sum += p[1] * ap_exp2(p[0] - most);
  }
  A.out[i] = sum > 0.0 ? most + ap_log2(sum) : ap_minus_inf();
}

AP_KERNEL(ap_soft_pull, ap_soft, AP_TILE) {
  __shared__ float4 point[AP_TILE];
  __shared__ double bias[AP_TILE];
  int i = (A.tile0 + (int)blockIdx.x) * AP_TILE + (int)threadIdx.x, at = i < A.n ? i : A.n - 1;
  soft_row r = ap_soft_row(A.x, at), d;
  int j0 = (int)blockIdx.z * A.per, end = A.m - j0 < A.per ? A.m : j0 + A.per;
  double f = A.f[at], mass = 0.0, cost = 0.0, gx = 0.0, gy = 0.0, gz = 0.0;
  for (int j = j0; j < end; j += AP_TILE) {
    ap_soft_stage(A, j, end, point, bias);
    __syncthreads();
    for (int k = 0; k < AP_TILE; k++) {
      double c = ap_soft_cost(A, r, point[k], d);
      double e = ap_exp2(ap_min2(f + bias[k] - A.scale * c, 1000.0));
      mass += e, cost += e * c;
      if (A.plain) e = c > 0.0 ? e / c : 0.0;
      gx += e * d.x, gy += e * d.y, gz += e * d.z;
    }
    AP_PAIRS(AP_TILE);
    __syncthreads();
  }
  if (i >= A.n) return;
  double *out = A.part + AP_PULL * ((int64_t)blockIdx.z * A.n + i);
  out[0] = mass, out[1] = cost, out[2] = gx, out[3] = gy, out[4] = gz;
}

AP_KERNEL(ap_soft_add, ap_soft, AP_TILE) {
  int i = (A.tile0 + (int)blockIdx.x) * AP_TILE + (int)threadIdx.x;
  if (i >= A.n) return;
  for (int c = 0; c < AP_PULL; c++) {
    double sum = 0.0;
    for (int s = 0; s < A.splits; s++) sum += A.part[AP_PULL * ((int64_t)s * A.n + i) + c];
    A.out[AP_PULL * (int64_t)i + c] = sum;
  }
}
