// ctx.h: what load.c, mem.c and the shims share; Go does not see it.
#pragma once
#include "shim.h"
#include <pthread.h>
#include <stdatomic.h>

typedef int CUresult, CUdevice;
typedef void *CUcontext, *CUmodule, *CUfunction, *CUstream, *CUevent;
typedef unsigned long long CUdeviceptr;

// The driver's functions: F by its plain name, V by one that ends in _v2.
#define DRIVER(F, V)                                                                                      \
  F(cuInit, (unsigned))                                                                                   \
  F(cuDriverGetVersion, (int *))                                                                          \
  F(cuDeviceGetCount, (int *))                                                                            \
  F(cuDeviceGet, (CUdevice *, int))                                                                       \
  F(cuDeviceGetName, (char *, int, CUdevice))                                                             \
  V(cuDeviceGetUuid, (void *, CUdevice))                                                                  \
  F(cuDeviceGetPCIBusId, (char *, int, CUdevice))                                                         \
  F(cuDeviceGetAttribute, (int *, int, CUdevice))                                                         \
  V(cuDeviceTotalMem, (size_t *, CUdevice))                                                               \
  V(cuDevicePrimaryCtxSetFlags, (CUdevice, unsigned))                                                     \
  F(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                                    \
  V(cuCtxPushCurrent, (CUcontext))                                                                        \
  V(cuCtxPopCurrent, (CUcontext *))                                                                       \
  F(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **))                             \
  F(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                                          \
  V(cuMemGetInfo, (size_t *, size_t *))                                                                   \
  V(cuMemAlloc, (CUdeviceptr *, size_t))                                                                  \
  V(cuMemFree, (CUdeviceptr))                                                                             \
  F(cuMemHostAlloc, (void **, size_t, unsigned))                                                          \
  F(cuMemFreeHost, (void *))                                                                              \
  V(cuMemcpyHtoDAsync, (CUdeviceptr, const void *, size_t, CUstream))                                     \
  V(cuMemcpyDtoHAsync, (void *, CUdeviceptr, size_t, CUstream))                                           \
  F(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))                                      \
  F(cuStreamCreate, (CUstream *, unsigned))                                                               \
  F(cuStreamSynchronize, (CUstream))                                                                      \
  F(cuEventCreate, (CUevent *, unsigned))                                                                 \
  F(cuEventRecord, (CUevent, CUstream))                                                                   \
  F(cuEventSynchronize, (CUevent))                                                                        \
  F(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                     CUstream, void **, void **))                                                         \
  F(cuGetErrorName, (CUresult, const char **))                                                            \
  F(cuGetErrorString, (CUresult, const char **))
#define DRIVER_FIELD(n, a) CUresult(*n) a;

#define KERNEL(n, a) K_##n,
enum {
#include "kernels.def"
  AP_KERNELS
};
#undef KERNEL

// ap_room is one allocation that grows and is kept.
typedef struct ap_room {
  CUdeviceptr at;
  size_t size;
} ap_room;

#define AP_STAGED ((size_t)4 << 20) // bytes of a pinned buffer

struct ap_ctx {
  DRIVER(DRIVER_FIELD, DRIVER_FIELD)
  pthread_mutex_t lock;
  int opened; // 0 not tried, 1 usable, -1 not
  int lost, pushed; // pushed: the context is this thread's
  ap_status status; // of opened = -1, or of lost
  ap_reason reason;
  int code;
  char message[1024], why[1024]; // of the last failure; of the one that is for good
  int driver, index, capability, multiprocessors, ratio;
  CUdevice device;
  CUcontext primary;
  CUstream stream;
  CUfunction kernel[AP_KERNELS];
  ap_room points, entries;
  void *staged[2];
  CUevent sent[2];
  int busy[2];            // a copy of that buffer is under way
  atomic_int canceled;
  int64_t slice, queued;  // pairs a launch may look at; those queued since the last wait
  uint64_t need, free_bytes, total;
  int64_t limit;
  const char *step;       // what is being done, for a message
  ap_job job;
  ap_args A;
  ap_grid *grid;          // [pairs] of the job
  ap_pair *pair;
  float *sortedx, *sortedy, *boxx, *boxy, *superx, *supery; // of the tree
  int rounds;             // done since the plan was made
};

// Every function that returns a status has left its sentence in c where it is not AP_OK.
ap_status ap_fail(ap_ctx *c, ap_status s, const char *format, ...) __attribute__((format(printf, 3, 4)));
ap_status ap_check(ap_ctx *c, CUresult r);
const char *ap_text(ap_ctx *c, CUresult r, char *buffer, size_t size);
const char *ap_kernel_name(int k);

// ap_enter takes the lock and the device's context, ap_leave gives them back.
ap_status ap_enter(ap_ctx *c);
ap_status ap_leave(ap_ctx *c, ap_status s);

ap_status ap_reserve(ap_ctx *c, ap_room *room, size_t bytes);
void ap_release(ap_ctx *c, ap_room *room);
ap_status ap_copy_in(ap_ctx *c, const void *device, const void *from, size_t bytes);
ap_status ap_copy_out(ap_ctx *c, void *to, const void *device, size_t bytes);
ap_status ap_clear(ap_ctx *c, const void *device, int value, size_t bytes);
ap_status ap_wait(ap_ctx *c);
ap_status ap_launch(ap_ctx *c, int k, int64_t grid, int z, int threads, const void *args, int64_t work);
int64_t ap_most(const ap_ctx *c); // pairs that a launch may look at

// ap_layout hands out places in one allocation, rounded to 256 bytes.
typedef struct ap_layout {
  CUdeviceptr base;
  size_t end;
} ap_layout;
void *ap_place(ap_layout *l, size_t bytes);

#define TRY(expression)                     \
  do {                                      \
    ap_status try_ = (expression);          \
    if (try_ != AP_OK) return try_;         \
  } while (0)
