// reduce.h: sums by row become sums by pair, in an order that depends on sizes
// alone; the last of the AP_SUMS numbers is a maximum.
//
// Launch   ap_reduce a block a tile of 128 rows, z the direction, 128 threads: a
//          tree over the rows. ap_total a block a pair, z the direction, 256 threads:
//          tiles in turn by thread, then a tree.
#pragma once
#include "common.h"

// Adds up n sums of the threads of a block; s is shared.
AP_DEV void ap_tree_sum(double (*s)[AP_SUMS], int n) {
  int t = threadIdx.x;
  __syncthreads();
  for (int k = n / 2; k; k >>= 1) {
    if (t < k) {
      for (int c = 0; c + 1 < AP_SUMS; c++) s[t][c] += s[t + k][c];
      s[t][AP_SUMS - 1] = ap_max2(s[t][AP_SUMS - 1], s[t + k][AP_SUMS - 1]);
    }
    __syncthreads();
  }
}

AP_KERNEL(ap_reduce, ap_args, AP_TILE) {
  __shared__ double s[AP_TILE][AP_SUMS];
  int dir = blockIdx.z, t = threadIdx.x;
  if (!ap_has_tile(A, dir)) return;
  ap_tile tile = ap_tile_of(A, dir);
  side d = ap_side(A, tile.pair, dir);
  bool ok = tile.row + t < d.n;
  const double *row = (dir ? A.rowy : A.rowx) + AP_SUMS * (d.s0 + tile.row + t);
  for (int c = 0; c < AP_SUMS; c++) s[t][c] = ok ? row[c] : 0.0;
  ap_tree_sum(s, AP_TILE);
  if (t < AP_SUMS) (dir ? A.tilesumy : A.tilesumx)[AP_SUMS * (int64_t)(A.tile0 + (int)blockIdx.x) + t] = s[0][t];
}

AP_KERNEL(ap_total, ap_args, THREADS) {
  __shared__ double s[THREADS][AP_SUMS];
  int dir = blockIdx.z, t = threadIdx.x, pair = blockIdx.x;
  const ap_tile *tile = dir ? A.tiley : A.tilex;
  const double *sums = dir ? A.tilesumy : A.tilesumx;
  int tiles = dir ? A.tilesy : A.tilesx, lo = 0, hi = tiles;
  while (lo < hi) { // tiles are in the order of pairs: the first of this one
    int mid = (lo + hi) / 2;
    if (tile[mid].pair < pair) lo = mid + 1;
    else hi = mid;
  }
  double v[AP_SUMS] = {};
  for (int k = lo + t; k < tiles && tile[k].pair == pair; k += THREADS) {
    const double *p = sums + AP_SUMS * (int64_t)k;
    v[0] += p[0], v[1] += p[1], v[2] += p[2], v[3] = ap_max2(v[3], p[3]);
  }
  for (int c = 0; c < AP_SUMS; c++) s[t][c] = v[c];
  ap_tree_sum(s, THREADS);
  if (t < AP_SUMS) A.sum[((int64_t)pair * 2 + dir) * AP_SUMS + t] = s[0][t];
}
