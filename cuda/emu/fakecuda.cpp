// fakecuda.cpp: a libcuda.so.1 for tests. Kernels run in the emulator; device memory
// ends at a page that faults, is filled with 0xff and is used with a current context
// only; what a driver refuses is refused. With LATE nothing happens before the next
// synchronise, so that a missing wait or a buffer used too early is seen.
//
// Faults come by variables of the environment, GONDOLA_FAKECUDA_ and:
//   INIT, RETAIN, LOAD  error of that call       HANG=1      cuInit never returns
//   NODEV=1             no device                DEVICES=n   so many
//   DRIVER=11040        version of the driver    CC=61       compute capability
//   MODE=2              compute mode             ABI=n       the kernels' version
//   MEM=bytes           of the device            OOM=k       the k-th allocation fails, 0 each
//   FAIL=kernel         illegal address at its launch, and ever after
//   ORDER=0..3          of threads and blocks    LATE=1      see above
//   LEAK=1              says at each free what is left
#define AP_EMU
#define EMU_MAIN
#include "../apml.cu"
#include <functional>
#include <map>
#include <mutex>
#include <deque>
#include <string>
#include <unistd.h>
#define API extern "C" __attribute__((visibility("default"))) int
typedef unsigned long long devptr;

enum {
  INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218,
  NOT_FOUND = 500, ILLEGAL_ADDRESS = 700
};

struct kernel {
  const char *name;
  size_t size; // of its argument
  void (*run)(const void *, dim3, dim3);
};
template <class A, void (*F)(A)> static void run_kernel(const char *name, const void *p, dim3 g, dim3 b) {
  A a;
  memcpy(&a, p, sizeof a);
  emu::launch(name, F, g, b, a);
}
#define KERNEL(n, a) {#n, sizeof(a), [](const void *p, dim3 g, dim3 b) { run_kernel<a, n>(#n, p, g, b); }},
static kernel kernels[] = {
#include "../kernels.def"
};
#undef KERNEL

struct allocation {
  char *base;
  size_t mapped, size;
};
struct event_mark {
  size_t after = 0; // jobs that had been queued
};
static std::recursive_mutex lock;
static std::map<devptr, allocation> memory;
static std::map<void *, size_t> pinned;
static std::deque<std::function<int()>> queue; // of the one stream
static size_t used, queued, done;
static int sticky, allocations, token, contexts;
static thread_local int current;
static std::string image;

static const char *setting(const char *n) {
  const char *s = getenv((std::string("GONDOLA_FAKECUDA_") + n).c_str());
  return s && *s ? s : nullptr;
}
static long number(const char *n, long otherwise = 0) {
  const char *s = setting(n);
  return s ? atol(s) : otherwise;
}
static size_t total_memory() { return (size_t)number("MEM", 1L << 31); }
static int usable() { return sticky ? sticky : current ? 0 : INVALID_CONTEXT; }
static bool inside(devptr p, size_t n) { // wholly inside one allocation
  auto i = memory.upper_bound(p);
  return i != memory.begin() && (--i, p + n <= i->first + i->second.size);
}
static int run_until(size_t n) {
  while (done < n && !queue.empty()) {
    auto job = queue.front();
    queue.pop_front();
    done++;
    if (!sticky) sticky = job();
  }
  return sticky;
}
static int later(std::function<int()> job) {
  queue.push_back(job);
  queued++;
  return number("LATE") ? 0 : run_until(queued);
}
API cuInit(unsigned) {
  while (number("HANG")) sleep(3600);
  return (int)number("INIT");
}
API cuDriverGetVersion(int *v) { return *v = (int)number("DRIVER", 13000), 0; }
API cuDeviceGetCount(int *n) { return *n = number("NODEV") ? 0 : (int)number("DEVICES", 1), 0; }
API cuDeviceGet(int *d, int i) { return *d = i, i < number("DEVICES", 1) ? 0 : INVALID_DEVICE; }
API cuDeviceGetName(char *s, int n, int) { return snprintf(s, n, "emulated device"), 0; }
API cuDeviceGetUuid_v2(void *uuid, int d) {
  memset(uuid, 0xa0 + d, 16);
  return 0;
}
API cuDeviceGetPCIBusId(char *s, int n, int d) { return snprintf(s, n, "0000:%02x:00.0", d + 1), 0; }
API cuDeviceTotalMem_v2(size_t *n, int) { return *n = total_memory(), 0; }
API cuDeviceGetAttribute(int *v, int a, int) {
  long cc = number("CC", 90);
  *v = a == 75 ? cc / 10 : a == 76 ? cc % 10 : a == 16 ? 1 : a == 20 ? number("MODE") : a == 87 ? 2 : 0;
  return 0;
}
API cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
API cuDevicePrimaryCtxRetain(void **c, int) {
  if (number("RETAIN")) return (int)number("RETAIN");
  contexts++;
  return *c = &token, 0;
}
API cuCtxPushCurrent_v2(void *c) { return c != &token ? INVALID_CONTEXT : (current++, 0); }
API cuCtxPopCurrent_v2(void **c) { return *c = &token, current ? (current--, 0) : INVALID_CONTEXT; }
API cuModuleLoadDataEx(void **m, const void *p, unsigned n, int *option, void **value) {
  if (usable()) return usable();
  image = (const char *)p, *m = &image;
  if (!number("LOAD")) return image.find(".version 7.5") == std::string::npos ? INVALID_PTX : 0;
  for (unsigned k = 0; k + 1 < n; k++)
    if (option[k] == 5) snprintf((char *)value[k], (size_t)value[k + 1], "emulated log of the JIT");
  return (int)number("LOAD");
}
API cuModuleGetFunction(void **f, void *m, const char *n) {
  for (auto &k : kernels)
    if (m == &image && !strcmp(k.name, n))
      return *f = &k, image.find(std::string(".entry ") + n + "(") == std::string::npos ? NOT_FOUND : 0;
  return NOT_FOUND;
}
API cuMemGetInfo_v2(size_t *f, size_t *t) { return *t = total_memory(), *f = *t - used, usable(); }
API cuMemAlloc_v2(devptr *p, size_t n) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  const char *oom = setting("OOM");
  allocations++;
  if (!n) return INVALID_VALUE;
  if (used + n > total_memory() || (oom && (atoi(oom) == 0 || atoi(oom) == allocations))) return OUT_OF_MEMORY;
  size_t page = 4096, mapped = (n + page - 1) / page * page;
  char *b = (char *)mmap(nullptr, mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (b == MAP_FAILED) return OUT_OF_MEMORY;
  mprotect(b + mapped, page, PROT_NONE);
  memset(b, 0xff, mapped);
  *p = (devptr)(uintptr_t)(b + mapped - n) & ~(devptr)255; // ends within 255 bytes of the page that faults
  memory[*p] = {b, mapped + page, n};
  used += n;
  return 0;
}
API cuMemFree_v2(devptr p) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!current) return INVALID_CONTEXT;
  run_until(queued); // a driver waits for what may use it
  auto i = memory.find(p);
  if (i == memory.end()) return INVALID_VALUE;
  munmap(i->second.base, i->second.mapped);
  used -= i->second.size;
  memory.erase(i);
  if (number("LEAK")) fprintf(stderr, "fakecuda: %zu blocks, %zu bytes left\n", memory.size(), used);
  return sticky;
}
API cuMemHostAlloc(void **p, size_t n, unsigned) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  if (!n || !(*p = malloc(n))) return OUT_OF_MEMORY;
  memset(*p, 0xff, n);
  pinned[*p] = n;
  return 0;
}
API cuMemFreeHost(void *p) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (!pinned.erase(p)) return INVALID_VALUE;
  free(p);
  return 0;
}
// Copies that do not wait want pinned memory on the host's side.
static bool in_pinned(const void *p, size_t n) {
  for (auto &b : pinned)
    if ((char *)p >= (char *)b.first && (char *)p + n <= (char *)b.first + b.second) return true;
  return false;
}
API cuMemcpyHtoDAsync_v2(devptr d, const void *s, size_t n, void *) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  if (!inside(d, n) || !in_pinned(s, n)) return INVALID_VALUE;
  return later([=] { return memcpy((void *)d, s, n), 0; });
}
API cuMemcpyDtoHAsync_v2(void *d, devptr s, size_t n, void *) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  if (!inside(s, n) || !in_pinned(d, n)) return INVALID_VALUE;
  return later([=] { return memcpy(d, (void *)s, n), 0; });
}
API cuMemsetD8Async(devptr d, unsigned char v, size_t n, void *) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  if (!inside(d, n)) return INVALID_VALUE;
  return later([=] { return memset((void *)d, v, n), 0; });
}
API cuStreamCreate(void **s, unsigned) { return *s = &token, usable(); }
API cuStreamSynchronize(void *) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  return usable() ? usable() : run_until(queued);
}
API cuEventCreate(void **e, unsigned) { return *e = new event_mark, usable(); }
API cuEventRecord(void *e, void *) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  ((event_mark *)e)->after = queued;
  return usable();
}
API cuEventSynchronize(void *e) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  return usable() ? usable() : run_until(((event_mark *)e)->after);
}
API cuEventElapsedTime(float *ms, void *, void *) { return *ms = 0, usable(); }
API cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *, void **params, void **) {
  std::lock_guard<std::recursive_mutex> hold(lock);
  if (usable()) return usable();
  if (!gx || !gy || !gz || gx > 0x7fffffff || gy > 65535 || gz > 65535 || bx * by * bz > 1024 || shared)
    return INVALID_VALUE;
  kernel *k = (kernel *)f;
  std::string args((const char *)params[0], k->size);
  return later([=] {
    const char *bad = setting("FAIL");
    if (bad && !strcmp(bad, k->name)) return (int)ILLEGAL_ADDRESS;
    emu::order((unsigned)number("ORDER"));
    k->run(args.data(), dim3(gx, gy, gz), dim3(bx, by, bz));
    if (number("ABI") && !strcmp(k->name, "ap_version")) ((const ap_ver *)args.data())->out[0] = (int)number("ABI");
    return 0;
  });
}
API cuGetErrorName(int r, const char **s) {
  static const std::map<int, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},         {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"},       {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {100, "CUDA_ERROR_NO_DEVICE"},           {101, "CUDA_ERROR_INVALID_DEVICE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"},     {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},         {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"},
      {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},     {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
      {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}, {999, "CUDA_ERROR_UNKNOWN"}};
  auto i = names.find(r);
  return i == names.end() ? (*s = nullptr, INVALID_VALUE) : (*s = i->second, 0);
}
API cuGetErrorString(int, const char **s) { return *s = "emulated", 0; }
