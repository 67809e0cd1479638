// shim.h: the host functions of the GPU backend, an operation each. No CUDA header,
// no toolkit, nothing to link with: the driver is opened at run time. A function
// blocks until its results are written and keeps no pointer after it returns. One
// operation runs at a time on a context; a second waits for the lock.
#pragma once
#include "abi.h"

typedef enum ap_status {
  AP_OK,
  AP_UNAVAILABLE, // see ap_reason: every later call says so again
  AP_MEMORY,      // the device has not enough: nothing was half done, a smaller call works
  AP_LOST,        // the device failed inside a call: this process cannot use it any more
  AP_FAILED,      // the driver refused a call; the device stays usable
  AP_CANCELED
} ap_status;

// Why a device cannot be used: the step that failed.
typedef enum ap_reason {
  AP_REASON_NONE,
  AP_REASON_LIBRARY,    // no libcuda.so.1
  AP_REASON_OLD_DRIVER, // a function is missing, or its version is too low
  AP_REASON_NO_DEVICE,
  AP_REASON_UNUSABLE,   // the driver does not start
  AP_REASON_NO_SUCH,    // index, UUID or PCI id
  AP_REASON_OLD_DEVICE,
  AP_REASON_MODE,       // compute mode forbids it
  AP_REASON_TAKEN,      // another process has it alone
  AP_REASON_LOAD,       // the kernels do not load
  AP_REASON_ABI,        // the kernels are not those of this program
  AP_REASON_FIRST,      // the first kernel did not run
  AP_REASON_OTHER
} ap_reason;

typedef struct ap_ctx ap_ctx;

typedef struct ap_info {
  char name[256], pci[32], uuid[48];
  int32_t index, capability, driver; // capability 90 for 9.0, driver 13000 for CUDA 13.0
  int32_t multiprocessors, ratio;    // ratio: float operations for each double one
  uint64_t total, free, held;        // bytes; held by this context
} ap_info;

// ap_job is what a call of APML is made of, besides its arrays.
typedef struct ap_job {
  int32_t pairs, tilesx, tilesy, totalx, totaly;
  int32_t tree;                    // 1: every pair by Morton tiles, 0: by brute force
  int32_t reference, uniform, count, pad;
  double margin, floor, share;
  int64_t limit;                   // bytes of device memory that may be held
} ap_job;

// ap_grid is where the Morton cells of a pair lie.
typedef struct ap_grid {
  float lo[3], scale; // scale: 2^21 / extent
} ap_grid;

ap_ctx *ap_new(void);
ap_status ap_open(ap_ctx *c, const char *ptx, const char *device);
ap_status ap_describe(ap_ctx *c, ap_info *out);
ap_status ap_trim(ap_ctx *c);

// The reason of the last failure of c, valid until the next call with c. The text
// lives in the context and not in the thread: two calls of one goroutine may run on
// two threads.
const char *ap_message(const ap_ctx *c);
ap_reason ap_why(const ap_ctx *c);
int ap_code(const ap_ctx *c); // the driver's error number, 0 if it is none of the driver's
void ap_need(const ap_ctx *c, uint64_t *need, uint64_t *free_bytes, uint64_t *total);

// ap_cancel ends the operation under way; it may be called from any thread.
// ap_begin forgets an earlier cancel.
void ap_cancel(ap_ctx *c);
void ap_begin(ap_ctx *c);
// Pairs that a launch may look at: longer ones are cut. 0: by the device's size.
void ap_slice(ap_ctx *c, int64_t pairs);

// APML in steps, on one job whose arrays stay on the device between them.
// ap_apml_open takes the clouds over and finds the two nearest; spread is
// [pairs,2,AP_SUMS] of ap_spread. Weights are there for both sides or for none, and
// so are multiplicities: null.
ap_status ap_apml_open(ap_ctx *c, const ap_job *job, const ap_pair *pair, const ap_grid *grid, const ap_tile *tilex,
                       const ap_tile *tiley, const float *x, const float *y, const double *wx, const double *wy,
                       const int32_t *mx, const int32_t *my, double *spread);
// ap_apml_support makes the plan before balancing for the support factors in pair;
// ties, nnz are [pairs,2,AP_SUMS] of ap_exact and ap_value. entries: stored in one
// order. refuse: more entries than most are told and not made.
ap_status ap_apml_support(ap_ctx *c, const ap_pair *pair, int wide, int64_t most, double *ties, double *nnz,
                          int64_t *entries, int *refuse, int *tied);
// ap_apml_rounds balances so many rounds; error, if not null, is [pairs,2,AP_SUMS] of ap_error.
ap_status ap_apml_rounds(ap_ctx *c, int rounds, double *error);
// ap_apml_bound gives the sums of ap_bound and the powers of two they are short of, [pairs,2].
ap_status ap_apml_bound(ap_ctx *c, double *sums, int32_t *base);
// ap_apml_finish gives the sums of ap_grad and, where not null, both gradients.
ap_status ap_apml_finish(ap_ctx *c, double *sums, double *gx, double *gy);
// ap_apml_plan copies the plan out: places in the caller's order or null, offsets,
// indices, values as they are held, scalings, and four numbers a point of ap_exact.
ap_status ap_apml_plan(ap_ctx *c, int32_t *permx, int32_t *permy, int32_t *offsets, int32_t *idx, void *k, double *u,
                       double *v, double *dirx, double *diry);
// ap_apml_held tells the bytes of device memory of the job.
int64_t ap_apml_held(const ap_ctx *c);

// ap_softjob is a pass of entropic transport of one pair.
typedef struct ap_softjob {
  double scale;
  int64_t limit;
  int32_t n, m, plain, wide;
} ap_softjob;

// ap_soft_rows gives log2 of the sum of every row, [n], or with f set [n,AP_PULL].
ap_status ap_soft_rows(ap_ctx *c, const ap_softjob *job, const float *x, const float *y, const double *h,
                       const double *f, double *out);

// ap_nearest finds the nearest neighbours of one pair, both ways; the lowest index wins a tie.
ap_status ap_nearest(ap_ctx *c, int32_t n, int32_t m, const float *x, const float *y, int64_t limit, int32_t *idx,
                     int32_t *idy, double *squarex, double *squarey);
