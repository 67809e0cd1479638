//go:build cgo && linux

// load.c: opens the driver, one device and the kernels, and says why not.
#include "ctx.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_DRIVER 11050
#define OLDEST_DEVICE 75

// Attributes of a device, by the driver's numbers.
enum { MULTIPROCESSORS = 16, COMPUTE_MODE = 20, MAJOR = 75, MINOR = 76, DOUBLE_RATIO = 87 };

ap_ctx *ap_new(void) {
  ap_ctx *c = calloc(1, sizeof *c);
  if (c) pthread_mutex_init(&c->lock, 0);
  return c;
}

const char *ap_message(const ap_ctx *c) { return c->message; }
ap_reason ap_why(const ap_ctx *c) { return c->reason; }
int ap_code(const ap_ctx *c) { return c->code; }
void ap_need(const ap_ctx *c, uint64_t *need, uint64_t *free_bytes, uint64_t *total) {
  *need = c->need, *free_bytes = c->free_bytes, *total = c->total;
}

ap_status ap_fail(ap_ctx *c, ap_status s, const char *format, ...) {
  va_list a;
  va_start(a, format);
  vsnprintf(c->message, sizeof c->message, format, a);
  va_end(a);
  return s;
}

// ap_text is name, number and text of an error of the driver.
const char *ap_text(ap_ctx *c, CUresult r, char *buffer, size_t size) {
  const char *name = 0, *text = 0;
  if (c->cuGetErrorName && c->cuGetErrorName(r, &name)) name = 0;
  if (name && c->cuGetErrorString && c->cuGetErrorString(r, &text)) text = 0;
  snprintf(buffer, size, "%s (%d)%s%s", name ? name : "error", r, text ? ": " : "", text ? text : "");
  return buffer;
}

// refuse keeps why the device cannot be used: r is the driver's error, or 0.
static ap_status refuse(ap_ctx *c, ap_reason reason, CUresult r, const char *format, ...) {
  char text[256], detail[700];
  va_list a;
  va_start(a, format);
  vsnprintf(detail, sizeof detail, format, a);
  va_end(a);
  c->reason = reason, c->code = r;
  snprintf(c->why, sizeof c->why, "%s%s%s", detail, r ? ": " : "", r ? ap_text(c, r, text, sizeof text) : "");
  return ap_fail(c, AP_UNAVAILABLE, "%s", c->why);
}

static ap_status load_driver(ap_ctx *c) {
  const char *asked = getenv("GONDOLA_LIBCUDA");
  void *lib = 0;
  if (asked && *asked) {
    lib = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
  } else { // never libcuda.so: toolkits ship a stub of that name
    lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib) lib = dlopen("/usr/lib/wsl/lib/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  }
  if (!lib) return refuse(c, AP_REASON_LIBRARY, 0, "no NVIDIA driver: %s", dlerror());
#define LOAD(n, symbol)                                                                                   \
  *(void **)&c->n = dlsym(lib, symbol);                                                                   \
  if (!c->n) return refuse(c, AP_REASON_OLD_DRIVER, 0, "NVIDIA driver too old: it lacks %s", symbol);
#define PLAIN(n, a) LOAD(n, #n)
#define SECOND(n, a) LOAD(n, #n "_v2")
  DRIVER(PLAIN, SECOND)
  return AP_OK;
}

static ap_status start_driver(ap_ctx *c, int *count) {
  CUresult r = c->cuInit(0);
  if (r == 100) return refuse(c, AP_REASON_NO_DEVICE, r, "no CUDA device: the driver sees none");
  if (r) return refuse(c, AP_REASON_UNUSABLE, r, "NVIDIA driver present but unusable");
  if ((r = c->cuDriverGetVersion(&c->driver)))
    return refuse(c, AP_REASON_UNUSABLE, r, "NVIDIA driver present but unusable");
  if (c->driver < OLDEST_DRIVER)
    return refuse(c, AP_REASON_OLD_DRIVER, 0, "NVIDIA driver too old: it supports CUDA %d.%d, %d.%d is needed",
                  c->driver / 1000, c->driver % 1000 / 10, OLDEST_DRIVER / 1000, OLDEST_DRIVER % 1000 / 10);
  if ((r = c->cuDeviceGetCount(count))) return refuse(c, AP_REASON_NO_DEVICE, r, "no CUDA device");
  if (!*count) return refuse(c, AP_REASON_NO_DEVICE, 0, "no CUDA device: the driver sees none");
  return AP_OK;
}

static int capability(ap_ctx *c, CUdevice d) {
  int major = 0, minor = 0;
  c->cuDeviceGetAttribute(&major, MAJOR, d);
  c->cuDeviceGetAttribute(&minor, MINOR, d);
  return 10 * major + minor;
}

static void identity(ap_ctx *c, CUdevice d, char pci[32], char uuid[48]) {
  unsigned char b[16] = {0};
  if (c->cuDeviceGetPCIBusId(pci, 32, d)) pci[0] = 0;
  uuid[0] = 0;
  if (c->cuDeviceGetUuid(b, d)) return;
  strcpy(uuid, "GPU-");
  for (int i = 0, n = 4; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid[n++] = '-';
    n += snprintf(uuid + n, 48 - (size_t)n, "%02x", b[i]);
  }
}

// choose takes the device that is asked for by index, UUID or PCI id, or the first
// of enough capability with the most memory.
static ap_status choose(ap_ctx *c, const char *asked, int count) {
  int best = -1, index = -1;
  size_t most = 0;
  char pci[32], uuid[48], *end;
  if (asked && *asked) {
    long k = strtol(asked, &end, 10);
    if (!*end) index = k >= 0 && k < count ? (int)k : -1;
    for (int i = 0; i < count && *end; i++) {
      CUdevice d;
      if (c->cuDeviceGet(&d, i)) continue;
      identity(c, d, pci, uuid);
      if (!strcmp(asked, pci) || !strcmp(asked, uuid)) index = i;
    }
    if (index < 0)
      return refuse(c, AP_REASON_NO_SUCH, 0, "no such CUDA device: %.80s asked for, %d present", asked, count);
  }
  for (int i = 0; i < count && index < 0; i++) {
    CUdevice d;
    size_t bytes = 0;
    if (c->cuDeviceGet(&d, i) || capability(c, d) < OLDEST_DEVICE) continue;
    c->cuDeviceTotalMem(&bytes, d);
    if (best < 0 || bytes > most) best = i, most = bytes;
  }
  c->index = index >= 0 ? index : best >= 0 ? best : 0;
  CUresult r = c->cuDeviceGet(&c->device, c->index);
  if (r) return refuse(c, AP_REASON_NO_SUCH, r, "no such CUDA device: %d asked for, %d present", c->index, count);
  c->capability = capability(c, c->device);
  if (c->capability < OLDEST_DEVICE)
    return refuse(c, AP_REASON_OLD_DEVICE, 0, "CUDA device too old: %d.%d, %d.%d is needed", c->capability / 10,
                  c->capability % 10, OLDEST_DEVICE / 10, OLDEST_DEVICE % 10);
  int mode = 0;
  c->cuDeviceGetAttribute(&mode, COMPUTE_MODE, c->device);
  if (mode == 2) return refuse(c, AP_REASON_MODE, 0, "CUDA device is set to prohibited");
  c->cuDeviceGetAttribute(&c->multiprocessors, MULTIPROCESSORS, c->device);
  c->cuDeviceGetAttribute(&c->ratio, DOUBLE_RATIO, c->device);
  return AP_OK;
}

// load_kernels needs the context to be current.
static ap_status load_kernels(ap_ctx *c, const char *ptx) {
  CUmodule m;
  char log[512] = {0};
  int option[] = {5, 6}; // where the JIT's errors go, and how many bytes of them
  void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  CUresult r = c->cuModuleLoadDataEx(&m, ptx, 2, option, value);
  if (r) {
    refuse(c, AP_REASON_LOAD, r, "kernels do not load on this device");
    if (!*log) return AP_UNAVAILABLE;
    size_t n = strlen(c->why);
    snprintf(c->why + n, sizeof c->why - n, ": %.400s", log);
    return ap_fail(c, AP_UNAVAILABLE, "%s", c->why);
  }
  for (int k = 0; k < AP_KERNELS; k++)
    if ((r = c->cuModuleGetFunction(&c->kernel[k], m, ap_kernel_name(k))))
      return refuse(c, AP_REASON_ABI, r, "kernels do not fit this program: no %s", ap_kernel_name(k));
  if ((r = c->cuStreamCreate(&c->stream, 1))) return refuse(c, AP_REASON_OTHER, r, "cannot make a stream");
  for (int k = 0; k < 2; k++)
    if ((r = c->cuMemHostAlloc(&c->staged[k], AP_STAGED, 0)) || (r = c->cuEventCreate(&c->sent[k], 2)))
      return refuse(c, AP_REASON_OTHER, r, "no pinned memory of the host");
  return AP_OK;
}

// check_version runs the first kernel: a wrong PTX cannot be used by accident.
static ap_status check_version(ap_ctx *c) {
  const int32_t want[] = AP_VERSIONS;
  int32_t got[AP_VERSION_COUNT] = {0};
  ap_room room = {0};
  c->limit = INT64_MAX;
  ap_status s = ap_reserve(c, &room, sizeof got);
  ap_ver v = {(int32_t *)(uintptr_t)room.at, AP_VERSION_COUNT, 0};
  if (s == AP_OK) s = ap_launch(c, K_ap_version, 1, 1, 32, &v, 1);
  if (s == AP_OK) s = ap_copy_out(c, got, v.out, sizeof got);
  ap_release(c, &room);
  if (s != AP_OK) {
    char why[600];
    snprintf(why, sizeof why, "%.500s", c->message);
    return refuse(c, AP_REASON_FIRST, 0, "first kernel did not run: %s", why);
  }
  if (got[0] != want[0])
    return refuse(c, AP_REASON_ABI, 0, "kernels do not fit this program: kernels have ABI %d, this program %d", got[0],
                  want[0]);
  if (memcmp(got, want, sizeof got))
    return refuse(c, AP_REASON_ABI, 0, "kernels do not fit this program: sizes of arguments differ");
  return AP_OK;
}

static ap_status open_all(ap_ctx *c, const char *ptx, const char *device) {
  int count = 0;
  TRY(load_driver(c));
  TRY(start_driver(c, &count));
  TRY(choose(c, device, count));
  c->cuDevicePrimaryCtxSetFlags(c->device, 4); // a waiting call must not spin; an error means others use the device
  CUresult r = c->cuDevicePrimaryCtxRetain(&c->primary, c->device);
  if (r == 46) return refuse(c, AP_REASON_TAKEN, r, "CUDA device is used by another process alone");
  if (r) return refuse(c, AP_REASON_OTHER, r, "cannot open the CUDA device");
  if ((r = c->cuCtxPushCurrent(c->primary))) return refuse(c, AP_REASON_OTHER, r, "cannot open the CUDA device");
  ap_status s = load_kernels(c, ptx);
  if (s == AP_OK) s = check_version(c);
  CUcontext out;
  c->cuCtxPopCurrent(&out);
  return s;
}

ap_status ap_open(ap_ctx *c, const char *ptx, const char *device) {
  pthread_mutex_lock(&c->lock);
  if (!c->opened) {
    c->status = open_all(c, ptx, device);
    c->opened = c->status == AP_OK ? 1 : -1;
  }
  ap_status s = c->status;
  if (s != AP_OK) ap_fail(c, s, "%s", c->why);
  pthread_mutex_unlock(&c->lock);
  return s;
}

ap_status ap_describe(ap_ctx *c, ap_info *out) {
  memset(out, 0, sizeof *out);
  ap_status s = ap_enter(c);
  if (s != AP_OK) return ap_leave(c, s);
  size_t f = 0, t = 0;
  s = ap_check(c, c->cuMemGetInfo(&f, &t));
  c->cuDeviceGetName(out->name, sizeof out->name - 1, c->device);
  identity(c, c->device, out->pci, out->uuid);
  out->index = c->index, out->capability = c->capability, out->driver = c->driver;
  out->multiprocessors = c->multiprocessors, out->ratio = c->ratio;
  out->total = t, out->free = f, out->held = c->points.size + c->entries.size;
  return ap_leave(c, s);
}
