// dev.h: the dialect, and the only file with #if. One source is read by clang
// without any CUDA header (-DAP_BARE, the real build), by nvcc (a check only, with
// -fmad=false) and by g++ through emu.h (-DAP_EMU, the CPU).
//
// Allowed is what is named here, and C++17 without library: templates, lambdas,
// static __shared__ arrays of at most 48 KiB a block, collectives with the full
// mask only, integer atomics. Not allowed: float atomics, printf, assert, local
// arrays indexed at run time, recursion, any talk between blocks of one launch but
// an integer maximum or "or" into flags. A kernel takes one struct by value.
#pragma once
#include "../abi.h"

#define FULL 0xffffffffu
#if defined(AP_EMU)
#include "../emu/emu.h"
#elif defined(__CUDACC__) && !defined(AP_BARE)
#include <cuda_runtime.h>
#define AP_DEV static __device__ __forceinline__
#define AP_INF __int_as_float(0x7f800000)
AP_DEV double ap_sqrt(double x) { return __dsqrt_rn(x); }
AP_DEV double ap_rint(double x) { return rint(x); }
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define AP_DEV static __device__ __forceinline__
#define AP_INF __builtin_inff()

#define AP_SREG(name, fx, fz)                                              \
  struct name##_t {                                                        \
    __attribute__((device)) static inline unsigned gx() { return fx(); }   \
    __attribute__((device)) static inline unsigned gz() { return fz(); }   \
    __declspec(property(get = gx)) unsigned x;                             \
    __declspec(property(get = gz)) unsigned z;                             \
  };                                                                       \
  extern const __attribute__((device)) __attribute__((weak)) name##_t name;
AP_SREG(threadIdx, __nvvm_read_ptx_sreg_tid_x, __nvvm_read_ptx_sreg_tid_z)
AP_SREG(blockIdx, __nvvm_read_ptx_sreg_ctaid_x, __nvvm_read_ptx_sreg_ctaid_z)
AP_SREG(blockDim, __nvvm_read_ptx_sreg_ntid_x, __nvvm_read_ptx_sreg_ntid_z)
AP_SREG(gridDim, __nvvm_read_ptx_sreg_nctaid_x, __nvvm_read_ptx_sreg_nctaid_z)

AP_DEV float sqrtf(float x) { return __builtin_sqrtf(x); }
AP_DEV float fminf(float a, float b) { return __builtin_fminf(a, b); }
AP_DEV float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
AP_DEV float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
AP_DEV double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
AP_DEV double ap_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
AP_DEV double ap_rint(double x) { return __builtin_rint(x); }
AP_DEV int __popc(unsigned x) { return __builtin_popcount(x); }
AP_DEV int __ffs(int x) { return __builtin_ffs(x); }
AP_DEV unsigned __ballot_sync(unsigned m, int p) { return __nvvm_vote_ballot_sync(m, p); }
AP_DEV void __syncwarp(unsigned m = FULL) { __nvvm_bar_warp_sync(m); }
AP_DEV int __shfl_sync(unsigned m, int v, int s) { return __nvvm_shfl_sync_idx_i32(m, v, s, 31); }
AP_DEV int __shfl_up_sync(unsigned m, int v, int s) { return __nvvm_shfl_sync_up_i32(m, v, s, 0); }
AP_DEV float __shfl_xor_sync(unsigned m, float v, int s) { return __nvvm_shfl_sync_bfly_f32(m, v, s, 31); }
AP_DEV int __shfl_xor_sync(unsigned m, int v, int s) { return __nvvm_shfl_sync_bfly_i32(m, v, s, 31); }
// A shuffle of 64 bits is two of 32.
AP_DEV long long __shfl_xor_sync(unsigned m, long long b, int s) {
  unsigned lo = (unsigned)__nvvm_shfl_sync_bfly_i32(m, (int)b, s, 31);
  unsigned hi = (unsigned)__nvvm_shfl_sync_bfly_i32(m, (int)(b >> 32), s, 31);
  return (long long)((unsigned long long)hi << 32 | lo);
}
AP_DEV double __shfl_xor_sync(unsigned m, double v, int s) {
  return __builtin_bit_cast(double, __shfl_xor_sync(m, __builtin_bit_cast(long long, v), s));
}
// Integers only.
AP_DEV int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
AP_DEV void atomicMax(int *p, int v) { __nvvm_atom_max_gen_i(p, v); }
AP_DEV void atomicOr(int *p, int v) { __nvvm_atom_or_gen_i(p, v); }
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) float2 { float x, y; };
AP_DEV float4 make_float4(float a, float b, float c, float d) {
  float4 r;
  r.x = a, r.y = b, r.z = c, r.w = d;
  return r;
}
AP_DEV float2 make_float2(float a, float b) {
  float2 r;
  r.x = a, r.y = b;
  return r;
}
#endif
#ifndef AP_DEV
#define AP_DEV static inline
#endif
#ifdef AP_EMU
#define AP_METHOD inline
#else
#define AP_METHOD __device__ __forceinline__
#endif
// The emulator counts evaluated pairs and boxes.
#ifndef AP_PAIRS
#define AP_PAIRS(n)
#define AP_BOXES(n)
#endif
#define AP_KERNEL(name, arg, threads) extern "C" __global__ void __launch_bounds__(threads) name(arg A)
