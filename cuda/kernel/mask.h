// mask.h: the candidates of both sides in one sweep, as a bit matrix and its
// transpose, and from them the lists by row and by column, ascending.
//
//   bit (i, j) = |x_i - y_j|^2 <= max(r2_i, c2_j)
//
// Shapes   bits of a pair: [row tile of 32][word of 32 columns][row], from bit0 on.
// Launch   ap_mask a block a tile of rows, 256 threads; warps take words in turn.
//          ap_mask_count, ap_mask_write a block a tile, z the direction, 128 threads,
//          a lane a row.
// Padding  points beyond the end repeat the last one; their bits are taken out of a
//          word, because with a support factor of infinity any compare holds.
//
// Counted in SASS for sm_90 of the same loop: 13.7 instructions a pair. Loops of 8
// inside a loop of 4: fully unrolled, one compiler takes 183 registers.
#pragma once
#include "common.h"

AP_DEV unsigned ap_bit_swap(unsigned v, int lane, int s, unsigned m) {
  unsigned o = (unsigned)__shfl_xor_sync(FULL, (int)v, s);
  return lane & s ? (v & ~m) | ((o >> s) & m) : (v & m) | ((o << s) & ~m);
}
// Bit k of lane l becomes bit l of lane k.
AP_DEV unsigned ap_bit_transpose(unsigned v, int lane) {
  v = ap_bit_swap(v, lane, 16, 0x0000ffffu);
  v = ap_bit_swap(v, lane, 8, 0x00ff00ffu);
  v = ap_bit_swap(v, lane, 4, 0x0f0f0f0fu);
  v = ap_bit_swap(v, lane, 2, 0x33333333u);
  return ap_bit_swap(v, lane, 1, 0x55555555u);
}

AP_KERNEL(ap_mask, ap_args, THREADS) {
  __shared__ float4 staged[WARPS][32];
  if (!ap_has_tile(A, 0)) return;
  ap_tile t = ap_tile_of(A, 0);
  side d = ap_side(A, t.pair, 0);
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, words = (d.m + 31) / 32, tiles = (d.n + 31) / 32;
  const float *x = d.s + 3 * d.s0, *y = d.o + 3 * d.o0;
  const float4 *parx = (const float4 *)A.parx + d.s0, *pary = (const float4 *)A.pary + d.o0;
  float px[ROWS], py[ROWS], pz[ROWS], r2[ROWS];
  unsigned valid[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = t.row + r * 32 + lane;
    valid[r] = i < d.n ? FULL : 0u;
    i = i < d.n ? i : d.n - 1;
    px[r] = x[3 * (int64_t)i], py[r] = x[3 * (int64_t)i + 1], pz[r] = x[3 * (int64_t)i + 2];
    r2[r] = parx[i].z;
  }
  for (int word = w; word < words; word += WARPS) {
    int j = word * 32 + lane;
    unsigned inside = word * 32 + 32 <= d.m ? FULL : (1u << (d.m & 31)) - 1;
    j = j < d.m ? j : d.m - 1;
    const float *q = y + 3 * (int64_t)j;
    staged[w][lane] = make_float4(q[0], q[1], q[2], pary[j].z);
    __syncwarp();
    unsigned m[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) m[r] = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < 32; k0 += 8) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) m[r] >>= 8;
#pragma unroll
      for (int k = 0; k < 8; k++) {
        float4 p = staged[w][k0 + k];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          if (ap_near_square(px[r], py[r], pz[r], p.x, p.y, p.z) <= fmaxf(r2[r], p.w)) m[r] |= 1u << (24 + k);
      }
    }
    AP_PAIRS(32 * ROWS);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      int v = t.row / 32 + r;
      m[r] &= valid[r] & inside;
      unsigned turned = ap_bit_transpose(m[r], lane);
      if (v < tiles) { // the same for all lanes
        A.bitx[d.p->bit0 + ((int64_t)v * words + word) * 32 + lane] = m[r];
        A.bity[d.p->bit0 + ((int64_t)word * tiles + v) * 32 + lane] = turned;
      }
    }
    __syncwarp();
  }
}

template <bool WRITE> AP_DEV void ap_bits(const ap_args &A) {
  int dir = blockIdx.z;
  if (!ap_has_tile(A, dir)) return;
  ap_tile t = ap_tile_of(A, dir);
  side d = ap_side(A, t.pair, dir);
  int i = t.row + (int)threadIdx.x, words = (d.m + 31) / 32;
  if (i >= d.n) return;
  const uint32_t *bits = (dir ? A.bity : A.bitx) + d.p->bit0 + (int64_t)(i >> 5) * words * 32 + (i & 31);
  int32_t *cnt = (dir ? A.cnty : A.cntx) + d.s0 + i, *idx = dir ? A.idxy : A.idxx;
  int n = WRITE ? *cnt : 0;
  for (int word = 0; word < words; word++) {
    unsigned v = bits[(int64_t)word * 32];
    if (!WRITE) n += __popc(v);
    else
      for (; v; v &= v - 1) {
        if (n < A.cap) idx[n] = (int32_t)d.o0 + word * 32 + __ffs((int)v) - 1;
        n++;
      }
  }
  if (!WRITE) *cnt = n;
}
AP_KERNEL(ap_mask_count, ap_args, AP_TILE) { ap_bits<false>(A); }
AP_KERNEL(ap_mask_write, ap_args, AP_TILE) { ap_bits<true>(A); }
