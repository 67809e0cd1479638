// common.h: what the stages share: the two distances, the two smallest numbers,
// the radius of candidates, 2^t and log2, rows of a tile and sums over lanes.
#pragma once
#include "dev.h"

#define WARPS 8     // warps of a block
#define THREADS 256
#define ROWS 4      // rows a lane of the brute kernels: 32 lanes make a tile
#define STAGED 128  // points of the other cloud that a warp stages
#define LANES 8     // lanes a row of the kernels that walk entries

struct near2 { float a, b; };
AP_DEV void near2_push(near2 &n, float d) {
  float m = fmaxf(n.a, d);
  n.a = fminf(n.a, d);
  n.b = fminf(n.b, m);
}
AP_DEV void near2_merge(near2 &n, near2 o) {
  float m = fmaxf(n.a, o.a);
  n.a = fminf(n.a, o.a);
  n.b = fminf(m, fminf(n.b, o.b));
}

// Squared distance in float: differences first, eight separate roundings, the
// same bits whichever point comes first. It only finds candidates: its relative
// error is below 5 * 2^-24 wherever the clouds lie, plus 1e-37.
AP_DEV float ap_near_square(float ax, float ay, float az, float bx, float by, float bz) {
  float dx = ax - bx, dy = ay - by, dz = az - bz;
  float xx = dx * dx, yy = dy * dy, zz = dz * dz;
  return (xx + yy) + zz;
}

// The distance that decides, squared: double, in this order, no fused
// multiply-add, so that the CPU has the same bits and the same support.
AP_DEV double ap_square(const float *p, const float *q) {
  double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1], z = (double)p[2] - (double)q[2];
  double xx = x * x, yy = y * y, zz = z * z;
  return (xx + yy) + zz;
}

// Squared radius of the candidates of a row: the exact radius, widened by more
// than all float errors together. It always holds the two nearest, so that the
// exact test can find them.
AP_DEV float ap_radius2(near2 n, double rho, double margin, int reference) {
  if (!(rho < 1e30) || !(n.b < AP_INF)) return AP_INF;
  float d1 = sqrtf(n.a), gap = sqrtf(n.b) - d1, m = (float)margin;
  gap = reference ? fmaxf(gap, m) : gap + m;
  float rad = d1 + gap * (float)rho, r2 = rad * rad;
  return fmaxf(r2, n.b) * (1.0f + ((float)rho + 2.0f) * 9.5367431640625e-07f) + 1e-37f;
}
AP_DEV float4 ap_par(near2 n) { return make_float4(n.a, n.b, 0.f, 0.f); }

AP_DEV double ap_minus_inf() { return -(double)AP_INF; }
AP_DEV double ap_pow2(int n) { return __builtin_bit_cast(double, (long long)(n + 1023) << 52); } // -1022 <= n <= 1023

// v * 2^n for any n: 0 or infinity where it does not fit. Exact while normal.
AP_DEV double ap_scale(double v, int n) {
  for (; n > 1000; n -= 1000) v *= ap_pow2(1000);
  for (; n < -1000; n += 1000) {
    v *= ap_pow2(-1000);
    if (v == 0.0) return v;
  }
  return v * ap_pow2(n);
}

// 2^t for t <= 0: the argument is reduced in double, the polynomial of degree 6
// is float. Relative error 1.2e-7; 0 below 2^-1000.
AP_DEV double ap_exp2f(double t) {
  double n = ap_rint(t);
  float f = (float)(t - n);
  float p = 1.5461444854736328e-04f;
  p = fmaf(p, f, 1.3400427997112274e-03f);
  p = fmaf(p, f, 9.618056938052177e-03f);
  p = fmaf(p, f, 5.550327152013779e-02f);
  p = fmaf(p, f, 2.4022650718688965e-01f);
  p = fmaf(p, f, 6.931471824645996e-01f);
  p = fmaf(p, f, 1.0f);
  if (!(n >= -1000.0)) return 0.0;
  return (double)p * ap_pow2((int)n);
}

// 2^t for t <= 0 in double: the Taylor series of e^(f ln 2) to degree 13 at
// |f| <= 1/2. Relative error below 1e-15; 0 below 2^-1000.
AP_DEV double ap_exp2(double t) {
  double n = ap_rint(t), z = (t - n) * 0.6931471805599453, p = 1.0;
#pragma unroll
  for (int k = 13; k > 0; k--) p = fma(p, z * (1.0 / k), 1.0);
  if (!(n >= -1000.0)) return 0.0;
  return p * ap_pow2((int)n);
}

// log2 of a positive normal double: exponent, then 2/ln 2 atanh((z-1)/(z+1)) by
// its series. Absolute error below 1e-14.
AP_DEV double ap_log2(double v) {
  long long b = __builtin_bit_cast(long long, v);
  int e = (int)(b >> 52) - 1023;
  double z = __builtin_bit_cast(double, (b & 0xfffffffffffffll) | 0x3ff0000000000000ll);
  if (z > 1.4142135623730951) z *= 0.5, e++;
  double t = (z - 1.0) / (z + 1.0), q = t * t, r = 1.0 / 17;
  for (int k = 15; k > 0; k -= 2) r = fma(r, q, 1.0 / k);
  return (double)e + 2.885390081777927 * t * r;
}

// The sum over the lanes of a row, or of a warp; all lanes get the same bits.
AP_DEV double ap_lanes_sum(double s) {
  for (int d = LANES / 2; d; d >>= 1) s += __shfl_xor_sync(FULL, s, d);
  return s;
}
AP_DEV double ap_max2(double a, double b) { return a > b ? a : b; }
AP_DEV double ap_min2(double a, double b) { return a < b ? a : b; }

// side is one direction of a pair: s asks, o is asked.
struct side {
  const ap_pair *p;
  int n, m, total;     // points of s, of o; those of o with multiplicity
  int64_t s0, o0;      // first points
  double rho, logterm;
  const float *s, *o;
  const double *w;
  const int32_t *smult, *omult;
};
AP_DEV side ap_side(const ap_args &A, int pair, int dir) {
  const ap_pair *p = A.pair + pair;
  side d;
  d.p = p;
  d.n = dir ? p->m : p->n, d.m = dir ? p->n : p->m, d.total = dir ? p->totaln : p->totalm;
  d.s0 = dir ? p->y0 : p->x0, d.o0 = dir ? p->x0 : p->y0;
  d.rho = dir ? p->rhoc : p->rho, d.logterm = dir ? p->logtermc : p->logterm;
  d.s = dir ? A.y : A.x, d.o = dir ? A.x : A.y;
  d.w = dir ? A.wy : A.wx;
  d.smult = dir ? A.my : A.mx, d.omult = dir ? A.mx : A.my;
  return d;
}
AP_DEV double ap_times(const int32_t *mult, int64_t i) { return mult ? (double)mult[i] : 1.0; }

// line is the row of these lanes: all 32 lanes of a warp stay alive, those beyond
// the end of the pair get an empty row. Block and z are tile and direction.
struct line {
  int64_t i;  // packed index
  int lo, hi; // its entries
  int lane;
  bool ok;
};
template <class T> AP_DEV bool ap_has_tile(const T &A, int dir) {
  return A.tile0 + (int)blockIdx.x < (dir ? A.tilesy : A.tilesx);
}
template <class T> AP_DEV ap_tile ap_tile_of(const T &A, int dir) {
  return (dir ? A.tiley : A.tilex)[A.tile0 + (int)blockIdx.x];
}
AP_DEV line ap_line(const ap_args &A, const side &d, int dir, int row0, int pass) {
  const int32_t *c = dir ? A.cnty : A.cntx;
  line l;
  int r = row0 + pass * (THREADS / LANES) + (int)threadIdx.x / LANES;
  l.lane = threadIdx.x & (LANES - 1);
  l.ok = r < d.n;
  l.i = d.s0 + (l.ok ? r : 0);
  l.lo = c[l.i];
  l.hi = l.ok ? c[l.i + 1] : l.lo;
  return l;
}
#define PASSES (AP_TILE / (THREADS / LANES))

// Values K: float with a lift, or double.
AP_DEV double ap_get(const void *k, int e, int wide) {
  return wide ? ((const double *)k)[e] : (double)((const float *)k)[e] * ap_pow2(-AP_LIFT);
}
AP_DEV void ap_set(void *k, int e, int wide, double v) {
  if (wide) ((double *)k)[e] = v;
  else ((float *)k)[e] = (float)(v * ap_pow2(AP_LIFT));
}
