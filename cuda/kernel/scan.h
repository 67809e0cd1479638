// scan.h: counts by row become offsets: cnt[i] = counts before i, cnt[last] = all.
//
// Launch   ap_scan_sums, ap_scan_add a block of 1,024 threads for 8,192 counts, z the
//          direction; ap_scan_top one block a direction (x). Three launches and never a
//          look-back between blocks, so that nothing depends on their order.
// Range    sums are 64 bits; behind them ap_scan_top puts the totals of rows and of
//          columns. ap_scan_add runs only where these are at most 2^31 - 1.
#pragma once
#include "common.h"

#define SCAN_THREADS 1024
#define SCAN_EACH 8
#define SCAN_BLOCK (SCAN_THREADS * SCAN_EACH)

// The sum of the values of all earlier threads of the block; all is the block's
// sum. scratch is shared and of 33 numbers; every thread must call.
AP_DEV int ap_block_scan(int v, int *scratch, int &all) {
  int t = threadIdx.x, lane = t & 31, w = t >> 5, warps = blockDim.x >> 5, e = v;
  for (int d = 1; d < 32; d <<= 1) {
    int q = __shfl_up_sync(FULL, e, d);
    if (lane >= d) e += q;
  }
  if (lane == 31) scratch[w] = e;
  __syncthreads();
  if (w == 0) {
    int q = lane < warps ? scratch[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      int p = __shfl_up_sync(FULL, q, d);
      if (lane >= d) q += p;
    }
    scratch[lane] = q;
  }
  __syncthreads();
  int before = (w ? scratch[w - 1] : 0) + e - v;
  all = scratch[warps - 1];
  __syncthreads();
  return before;
}

AP_KERNEL(ap_scan_sums, ap_args, SCAN_THREADS) {
  __shared__ int64_t sums[SCAN_THREADS];
  int dir = blockIdx.z, n = dir ? A.totaly : A.totalx, t = threadIdx.x;
  const int32_t *c = dir ? A.cnty : A.cntx;
  int64_t from = (int64_t)blockIdx.x * SCAN_BLOCK + t * SCAN_EACH, s = 0;
  for (int k = 0; k < SCAN_EACH; k++) s += from + k < n ? c[from + k] : 0;
  sums[t] = s;
  __syncthreads();
  for (int k = SCAN_THREADS / 2; k; k >>= 1) {
    if (t < k) sums[t] += sums[t + k];
    __syncthreads();
  }
  if (t == 0) A.scan[(int64_t)dir * A.scanblocks + blockIdx.x] = sums[0];
}

// One block: thread t takes every 1,024th sum in turn, round by round.
AP_KERNEL(ap_scan_top, ap_args, SCAN_THREADS) {
  __shared__ int64_t sums[SCAN_THREADS];
  int dir = blockIdx.x, t = threadIdx.x;
  int64_t *s = A.scan + (int64_t)dir * A.scanblocks, base = 0;
  for (int from = 0; from < A.scanblocks; from += SCAN_THREADS) {
    int64_t v = from + t < A.scanblocks ? s[from + t] : 0;
    sums[t] = v;
    __syncthreads();
    for (int d = 1; d < SCAN_THREADS; d <<= 1) {
      int64_t q = t >= d ? sums[t - d] : 0;
      __syncthreads();
      sums[t] += q;
      __syncthreads();
    }
    if (from + t < A.scanblocks) s[from + t] = base + sums[t] - v;
    base += sums[SCAN_THREADS - 1];
    __syncthreads();
  }
  if (t == 0) A.scan[2 * (int64_t)A.scanblocks + dir] = base;
}

AP_KERNEL(ap_scan_add, ap_args, SCAN_THREADS) {
  __shared__ int scratch[33];
  int dir = blockIdx.z, n = dir ? A.totaly : A.totalx, all = 0;
  unsigned s = 0, v[SCAN_EACH];
  int32_t *c = dir ? A.cnty : A.cntx;
  int64_t from = (int64_t)blockIdx.x * SCAN_BLOCK + (int)threadIdx.x * SCAN_EACH;
#pragma unroll
  for (int k = 0; k < SCAN_EACH; k++) {
    v[k] = from + k < n ? (unsigned)c[from + k] : 0;
    s += v[k];
  }
  unsigned start = (unsigned)A.scan[(int64_t)dir * A.scanblocks + blockIdx.x];
  start += (unsigned)ap_block_scan((int)s, scratch, all);
#pragma unroll
  for (int k = 0; k < SCAN_EACH; k++) {
    if (from + k < n) c[from + k] = (int32_t)start;
    start += v[k];
    if (from + k == n - 1) c[n] = (int32_t)start;
  }
}
