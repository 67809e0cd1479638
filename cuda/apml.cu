// apml.cu: the one translation unit of the PTX. `make ptx` compiles it.
#include "kernel/near2.h"
#include "kernel/mask.h"
#include "kernel/scan.h"
#include "kernel/exact.h"
#include "kernel/value.h"
#include "kernel/sink.h"
#include "kernel/grad.h"
#include "kernel/reduce.h"
#include "kernel/sort.h"
#include "kernel/tree.h"
#include "kernel/near1.h"
#include "kernel/soft.h"

// The first kernel to run: what host and kernels must agree about.
AP_KERNEL(ap_version, ap_ver, 32) {
  const int v[] = AP_VERSIONS;
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int k = 0; k < AP_VERSION_COUNT; k++)
    if (k < A.n) A.out[k] = v[k];
}
