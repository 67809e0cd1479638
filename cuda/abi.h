// abi.h: what kernels, shim, emulator and tests share. Fixed-width types; pointers
// first, then 8-byte fields, then 4-byte ones; every size is checked here and, from
// the PTX, by a Go test that reads the AP_SIZE lines. Every constant (support
// factors, logarithms, margins) is computed once in Go: C never calls log.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define AP_ABI 3
#define AP_TILE 128  // rows of a tile: what a block works on
#define AP_LIFT 60   // float values K are kept times 2^AP_LIFT, so that small ones are not subnormal
#define AP_SUMS 4    // numbers of a row that ap_reduce adds up

#ifdef __cplusplus
#define AP_SIZE(type, bytes) static_assert(sizeof(type) == bytes, #type)
#else
#define AP_SIZE(type, bytes) _Static_assert(sizeof(type) == bytes, #type)
#endif

// ap_pair is one pair of clouds of a batch. The clouds of all pairs lie one after
// the other; equal points have been joined.
typedef struct ap_pair {
  int64_t x0, y0;              // first point in the packed arrays
  int64_t bit0;                // first word of the pair's bit matrix
  double rho, rhoc;            // support factor ln(1/t)/l of rows and of columns; inf keeps every pair
  double logterm, logtermc;    // l log2(e), l = ln((K-1)/(1-p)); 0 for K = 1
  double unit;                 // the caller's length of one unit of the coordinates, a power of two
  int32_t n, m;                // different points
  int32_t totaln, totalm;      // points with their multiplicity
} ap_pair;
AP_SIZE(ap_pair, 80);

// ap_tile is AP_TILE rows of one pair, the last tile of a pair fewer.
typedef struct ap_tile {
  int32_t pair, row; // row: the first one, counted within the pair
} ap_tile;
AP_SIZE(ap_tile, 8);

// ap_args is one call of sparse APML. Arrays named x hold rows, those named y
// columns. Square brackets: the shape by points of all pairs.
typedef struct ap_args {
  const float *x, *y;                // [.,3] coordinates
  const double *wx, *wy;             // [.] weights with mean 1; null: all 1
  const int32_t *mx, *my;            // [.] multiplicities; null: all 1
  const int32_t *permx, *permy;      // [.] place in the caller's order, within all pairs; null: the same
  const ap_pair *pair;
  const ap_tile *tilex, *tiley;
  float *parx, *pary;                // [.,4] two smallest squares, squared radius of candidates, 0
  double *dirx, *diry;               // [.,4] d1, R, l log2(e)/gap, q; a uniform row has R = -inf and its share in q
  int32_t *cntx, *cnty;              // [.+1] counts, then offsets
  int32_t *idxx, *idxy;              // [entries] packed index of the other point
  void *kx, *ky;                     // [entries] value before balancing: float times 2^AP_LIFT, or double
  uint32_t *bitx, *bity;             // bit matrix of the candidates, and its transpose
  double *u, *v;                     // [.] scalings
  int32_t *putx, *puty;              // [.] powers of two that went from a scaling into the values
  int32_t *base;                     // [pairs,2] largest of them, of rows and of columns
  double *gx, *gy;                   // [.,3] gradients, in the caller's order
  double *rowx, *rowy;               // [.,AP_SUMS] what is to be summed by row
  double *tilesumx, *tilesumy;       // [tiles,AP_SUMS]
  double *sum;                       // [pairs,2,AP_SUMS] sums over rows, over columns; the last number is a maximum
  double *tie;                       // [pairs,2,4] sums of w, of tied share times w, of tied w, 0; over rows, over columns
  int64_t *scan;                     // [2,blocks] sums of blocks of counts, then the totals of rows and of columns
  int32_t *flags;                    // AP_FLAG_...
  double margin, floor, share;       // length; least length that a direction is divided by; of one side in the merge
  int32_t pairs, tilesx, tilesy, totalx, totaly; // totals: points of all pairs
  int32_t cap;                       // entries that idx and K have room for
  int32_t reference, uniform, count; // gap and scaling of the published code; rule of ties; merge by count
  int32_t wide, ties, scanblocks;    // K in double; 1 tied rows, 2 tied columns; blocks of one direction's scan
  int32_t tile0, pad;                // tile of block 0: long launches are cut
} ap_args;
AP_SIZE(ap_args, 384);

// Flags that blocks may raise, by an integer "or".
#define AP_FLAG_TIES 0 // bits: 1 tied rows, 2 tied columns
#define AP_FLAGS 4

// ap_sort is one pass of the radix sort of (64-bit key, value), 4 bits a pass.
typedef struct ap_sort {
  const uint64_t *keyin;
  const int32_t *valin;
  uint64_t *keyout;
  int32_t *valout;
  int32_t *hist; // [16,blocks]
  int32_t n, blocks, shift, pad;
} ap_sort;
AP_SIZE(ap_sort, 56);

// ap_key makes Morton keys of one cloud, and sorted copies of what belongs to its points.
typedef struct ap_key {
  const float *p;      // [n,3]
  uint64_t *key;       // [n]
  int32_t *val;        // [n]
  float *sorted4;      // [n,4]
  float *sorted;       // [n,3]
  const double *w;     // [n] or null
  double *wout;
  const int32_t *mult; // [n] or null
  int32_t *multout;
  int32_t *perm;       // [n] place in the caller's order
  float lo[3], scale;  // scale: 2^21 / extent
  int32_t n, first;    // first: index of the cloud's first point in the packed arrays
} ap_key;
AP_SIZE(ap_key, 104);

// ap_boxes makes the boxes of 32 points, or of 32 boxes, each.
typedef struct ap_boxes {
  const float *from; // points [n,4], or boxes [n,2,4]
  const float *par;  // [n,4] of the points, or null
  float *out;        // [.,2,4]: low and high; the fourth number of high is the largest squared radius inside
  int32_t n, boxes;
} ap_boxes;
AP_SIZE(ap_boxes, 32);

// ap_walk is a walk of every tile of 32 sorted points of one cloud through the boxes of the other.
typedef struct ap_walk {
  const float *xs, *ys;             // sorted points, 4 numbers each
  const float *xb, *yb, *ysb;       // boxes of 32 points of x, of y, and of 32 such boxes of y
  float *parx;                      // squares are made by the first walk, radii read by the others
  const float *pary;
  int32_t *cnt, *idx;
  int32_t n, m, cap, pad0;
  int32_t first, other;             // index of the first point of x, of y, in the packed arrays
  int32_t block0, pad;              // long launches are cut
} ap_walk;
AP_SIZE(ap_walk, 104);

// ap_near is the nearest neighbour with its index, both ways.
typedef struct ap_near {
  const float *x, *y;        // [.,3]
  const ap_pair *pair;
  const ap_tile *tilex, *tiley;
  float *parx, *pary;        // [.,2] smallest and second squared distance in float
  double *squarex, *squarey; // [.] exact squared distance
  int32_t *idx, *idy;        // [.] within the other cloud; the lowest wins a tie
  int32_t tilesx, tilesy;
  int32_t tile0, pad;
} ap_near;
AP_SIZE(ap_near, 104);

// ap_soft is one pass of entropic transport of one pair, rows x against columns y.
// Exponents are to the base 2.
#define AP_PULL 5 // numbers of a row: mass, cost, three of the gradient
typedef struct ap_soft {
  const float *x, *y;     // [n,3], [m,3]
  const double *h, *f;    // [m], [n] exponents of columns and of rows; f: of the plan's pass alone
  double *part;           // [splits,n,2] maximum and sum of a split, or [splits,n,AP_PULL]
  double *out;            // [n], or [n,AP_PULL]
  double scale;           // exponent of one unit of the cost
  int32_t n, m, per, splits; // per: columns of a split
  int32_t plain, wide;    // the cost is the distance, else its square; powers in double
  int32_t tile0, pad;
} ap_soft;
AP_SIZE(ap_soft, 88);

// ap_ver is read back before the first use: kernels and program must agree.
typedef struct ap_ver {
  int32_t *out; // AP_ABI, then the sizes of the structs in the order of this file
  int32_t n, pad;
} ap_ver;
AP_SIZE(ap_ver, 16);
#define AP_VERSIONS {AP_ABI, sizeof(ap_pair), sizeof(ap_tile), sizeof(ap_args), sizeof(ap_sort), \
                     sizeof(ap_key), sizeof(ap_boxes), sizeof(ap_walk), sizeof(ap_near), sizeof(ap_soft), \
                     sizeof(ap_ver)}
#define AP_VERSION_COUNT 11
