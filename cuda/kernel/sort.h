// sort.h: one pass of a stable radix sort of 64-bit keys with 32-bit values, by 4
// bits. No device-wide library.
//
// Launch   ap_sort_hist, ap_sort_scatter a block of 256 threads for 2,048 keys;
//          ap_sort_scan one block of 1,024.
// Order    ranks inside a block come from ballots, items are taken in striped rounds:
//          equal digits keep their order.
// Bytes    a pass reads and writes 12 bytes a key once, and reads the key once more.
#pragma once
#include "scan.h"

#define SORT_THREADS 256
#define SORT_ROUNDS 8
#define SORT_BLOCK (SORT_THREADS * SORT_ROUNDS)

AP_KERNEL(ap_sort_hist, ap_sort, SORT_THREADS) {
  __shared__ int h[16];
  int t = threadIdx.x;
  if (t < 16) h[t] = 0;
  __syncthreads();
  for (int i = 0; i < SORT_ROUNDS; i++) {
    int p = blockIdx.x * SORT_BLOCK + i * SORT_THREADS + t;
    if (p < A.n) atomicAdd(&h[A.keyin[p] >> A.shift & 15], 1);
  }
  __syncthreads();
  if (t < 16) A.hist[t * A.blocks + blockIdx.x] = h[t];
}

AP_KERNEL(ap_sort_scan, ap_sort, SCAN_THREADS) {
  __shared__ int scratch[33];
  int n = 16 * A.blocks, t = threadIdx.x, base = 0;
  for (int o = 0; o < n; o += SCAN_THREADS) {
    int i = o + t, all = 0, s = i < n ? A.hist[i] : 0;
    int before = ap_block_scan(s, scratch, all);
    if (i < n) A.hist[i] = base + before;
    base += all;
  }
}

AP_KERNEL(ap_sort_scatter, ap_sort, SORT_THREADS) {
  __shared__ int counts[SORT_THREADS / 32][16];
  __shared__ int next[16];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  if (t < 16) next[t] = A.hist[t * A.blocks + blockIdx.x];
  __syncthreads();
  for (int i = 0; i < SORT_ROUNDS; i++) {
    int p = blockIdx.x * SORT_BLOCK + i * SORT_THREADS + t;
    bool in = p < A.n;
    uint64_t k = in ? A.keyin[p] : 0;
    int v = in ? A.valin[p] : 0, d = in ? (int)(k >> A.shift & 15) : -1;
    unsigned peers = __ballot_sync(FULL, in);
    for (int b = 0; b < 4; b++) {
      unsigned m = __ballot_sync(FULL, d >> b & 1);
      peers &= d >> b & 1 ? m : ~m;
    }
    int rank = __popc(peers & ((1u << lane) - 1));
    if (lane < 16) counts[w][lane] = 0;
    __syncwarp();
    if (in && rank == 0) counts[w][d] = __popc(peers);
    __syncthreads();
    if (in) {
      int o = next[d] + rank;
      for (int q = 0; q < w; q++) o += counts[q][d];
      A.keyout[o] = k;
      A.valout[o] = v;
    }
    __syncthreads();
    if (t < 16)
      for (int q = 0; q < SORT_THREADS / 32; q++) next[t] += counts[q][t];
    __syncthreads();
  }
}
