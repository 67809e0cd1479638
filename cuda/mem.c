//go:build cgo && linux

// mem.c: memory, copies, launches and waits of one context.
#include "ctx.h"
#include <stdio.h>
#include <string.h>

#define KERNEL(n, a) #n,
static const char *const names[AP_KERNELS] = {
#include "kernels.def"
};
#undef KERNEL

const char *ap_kernel_name(int k) { return names[k]; }

// Errors after which the context is of no use, whoever asks.
static int for_good(CUresult r) { return r == 700 || r == 702 || (r >= 714 && r <= 719) || r == 214 || r == 999; }

// ap_check turns an error of the driver into a status and a sentence.
ap_status ap_check(ap_ctx *c, CUresult r) {
  char text[256];
  if (!r) return AP_OK;
  c->code = r;
  ap_text(c, r, text, sizeof text);
  if (!for_good(r)) return ap_fail(c, AP_FAILED, "GPU: %s: %s", c->step ? c->step : "", text);
  c->lost = 1;
  snprintf(c->why, sizeof c->why, "GPU lost: %s: %s", c->step ? c->step : "", text);
  return ap_fail(c, AP_LOST, "%s", c->why);
}

ap_status ap_enter(ap_ctx *c) {
  pthread_mutex_lock(&c->lock);
  if (c->opened != 1) return ap_fail(c, AP_UNAVAILABLE, "%s", c->opened ? c->why : "no device is open");
  if (c->lost) return ap_fail(c, AP_LOST, "%s", c->why);
  c->step = "context", c->queued = 0, c->code = 0;
  TRY(ap_check(c, c->cuCtxPushCurrent(c->primary)));
  c->pushed = 1;
  return AP_OK;
}

// ap_leave also waits where a call ends early: nothing of it is at work when it returns.
ap_status ap_leave(ap_ctx *c, ap_status s) {
  CUcontext out;
  if (c->pushed) {
    if (s != AP_OK && !c->lost) c->cuStreamSynchronize(c->stream);
    if (s != AP_OK) c->busy[0] = c->busy[1] = 0;
    c->cuCtxPopCurrent(&out);
    c->pushed = 0;
  }
  pthread_mutex_unlock(&c->lock);
  return s;
}

void ap_cancel(ap_ctx *c) { atomic_store(&c->canceled, 1); }
void ap_begin(ap_ctx *c) { atomic_store(&c->canceled, 0); }
void ap_slice(ap_ctx *c, int64_t pairs) { c->slice = pairs; }

void ap_release(ap_ctx *c, ap_room *room) {
  if (room->at) c->cuMemFree(room->at);
  room->at = 0, room->size = 0;
}

// ap_reserve gives room at least bytes, an eighth more where it must grow; its
// contents are lost then. Where that does not fit, the kept memory is given back and
// the exact size asked for once more.
ap_status ap_reserve(ap_ctx *c, ap_room *room, size_t bytes) {
  size_t free_bytes = 0, total = 0, others = c->points.size + c->entries.size - room->size;
  if (room != &c->points && room != &c->entries) others = 0;
  int fits = others + bytes <= (uint64_t)c->limit;
  if (room->size >= bytes && fits) return AP_OK;
  c->step = "memory";
  if (room == &c->points && !fits) ap_release(c, &c->entries), others = 0; // of an earlier job
  if (room->size >= bytes && others + bytes <= (uint64_t)c->limit) return AP_OK;
  ap_release(c, room);
  TRY(ap_check(c, c->cuMemGetInfo(&free_bytes, &total)));
  size_t may = free_bytes / 10 * 9;
  size_t left = (uint64_t)c->limit > others ? (size_t)c->limit - others : 0;
  if (may > left) may = left;
  CUresult r = 2;
  size_t ask = bytes + bytes / 8;
  if (ask > may) ask = bytes;
  if (bytes <= may && (r = c->cuMemAlloc(&room->at, ask)) == 2 && ask > bytes)
    ask = bytes, r = c->cuMemAlloc(&room->at, ask);
  if (!r) {
    room->size = ask;
    return AP_OK;
  }
  room->at = 0;
  if (r != 2) return ap_check(c, r);
  c->code = 2, c->need = others + bytes, c->free_bytes = may + others, c->total = total;
  return ap_fail(c, AP_MEMORY, "GPU memory: %.1f MiB needed, %.1f MiB may be used of %.1f MiB", c->need / 1048576.0,
                 c->free_bytes / 1048576.0, total / 1048576.0);
}

ap_status ap_trim(ap_ctx *c) {
  ap_status s = ap_enter(c);
  if (s == AP_OK) ap_release(c, &c->points), ap_release(c, &c->entries);
  return ap_leave(c, s);
}

void *ap_place(ap_layout *l, size_t bytes) {
  void *p = (void *)(uintptr_t)(l->base + l->end);
  l->end += (bytes + 255) & ~(size_t)255;
  return p;
}

ap_status ap_wait(ap_ctx *c) {
  c->queued = 0;
  return ap_check(c, c->cuStreamSynchronize(c->stream));
}

// A staged buffer may be written when its last copy is over.
static ap_status settle(ap_ctx *c, int k) {
  if (!c->busy[k]) return AP_OK;
  c->busy[k] = 0;
  return ap_check(c, c->cuEventSynchronize(c->sent[k]));
}

ap_status ap_copy_in(ap_ctx *c, const void *device, const void *from, size_t bytes) {
  CUdeviceptr to = (CUdeviceptr)(uintptr_t)device;
  c->step = "copy to the device";
  for (size_t at = 0, k = 0; at < bytes; at += AP_STAGED, k ^= 1) {
    size_t n = bytes - at < AP_STAGED ? bytes - at : AP_STAGED;
    TRY(settle(c, (int)k));
    memcpy(c->staged[k], (const char *)from + at, n);
    TRY(ap_check(c, c->cuMemcpyHtoDAsync(to + at, c->staged[k], n, c->stream)));
    TRY(ap_check(c, c->cuEventRecord(c->sent[k], c->stream)));
    c->busy[k] = 1;
  }
  return AP_OK;
}

ap_status ap_copy_out(ap_ctx *c, void *to, const void *device, size_t bytes) {
  CUdeviceptr from = (CUdeviceptr)(uintptr_t)device;
  size_t was[2] = {0, 0}, length[2] = {0, 0};
  c->step = "copy from the device";
  TRY(settle(c, 0));
  TRY(settle(c, 1));
  for (size_t at = 0, k = 0; at < bytes + 2 * AP_STAGED; at += AP_STAGED, k ^= 1) {
    if (length[k]) { // what this buffer brought
      TRY(settle(c, (int)k));
      memcpy((char *)to + was[k], c->staged[k], length[k]);
      length[k] = 0;
    }
    if (at >= bytes) continue;
    was[k] = at, length[k] = bytes - at < AP_STAGED ? bytes - at : AP_STAGED;
    TRY(ap_check(c, c->cuMemcpyDtoHAsync(c->staged[k], from + at, length[k], c->stream)));
    TRY(ap_check(c, c->cuEventRecord(c->sent[k], c->stream)));
    c->busy[k] = 1;
  }
  return AP_OK;
}

ap_status ap_clear(ap_ctx *c, const void *device, int value, size_t bytes) {
  c->step = "clearing memory";
  return ap_check(c, c->cuMemsetD8Async((CUdeviceptr)(uintptr_t)device, (unsigned char)value, bytes, c->stream));
}

// ap_launch queues a kernel unless the call is canceled. work is the pairs or
// entries it looks at: after enough of them it waits, so that a cancel is seen.
ap_status ap_launch(ap_ctx *c, int k, int64_t grid, int z, int threads, const void *args, int64_t work) {
  if (atomic_load(&c->canceled)) return ap_fail(c, AP_CANCELED, "canceled");
  void *p[] = {(void *)(uintptr_t)args};
  c->step = names[k];
  TRY(ap_check(c, c->cuLaunchKernel(c->kernel[k], (unsigned)grid, 1, (unsigned)z, (unsigned)threads, 1, 1, 0, c->stream,
                                    p, 0)));
  c->queued += work;
  return c->queued < ap_most(c) ? AP_OK : ap_wait(c);
}

// About 0.1 s of the slowest devices that the kernels run on.
int64_t ap_most(const ap_ctx *c) {
  if (c->slice) return c->slice;
  return (int64_t)1000000000 * (c->multiprocessors > 0 ? c->multiprocessors : 1);
}
