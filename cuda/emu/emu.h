// emu.h: runs the kernels' source on the CPU, one block at a time. The threads of a
// block are coroutines that switch only at __syncthreads and at collectives of a
// warp. x86-64 alone: another processor needs its own emu_switch.
//
// It reports lanes of a warp at different collectives, a mask that names a lane
// that has ended, threads that never reach a barrier, and deadlock, with lines.
// Shared memory is filled with NaN before each block, or red-zoned by the address
// sanitizer. order() picks one of four orders of threads and blocks: fair up, fair
// down, greedy by warp up and down; the odd ones run blocks backwards. A right
// kernel gives the same bits in all four.
//
// It cannot see races between blocks, registers, speed, or what a real driver does.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <vector>
#if !defined(__x86_64__)
#error "the emulator knows x86-64 only"
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define __shared__ static /* the sanitizer puts a red zone around each array */
#else
#define __shared__ static __attribute__((section("emu_shared"))) /* one range, to be filled */
#endif
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) float2 { float x, y; };
static inline float4 make_float4(float a, float b, float c, float d) { return {a, b, c, d}; }
static inline float2 make_float2(float a, float b) { return {a, b}; }
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};

namespace emu {
enum state { ready, at_barrier, at_meeting, ended };
const size_t stack_bytes = 64 << 10;

struct warp {
  uint32_t want = 0, arrived = 0, alive = 0; // lanes
  int what = 0, line = 0;
  unsigned turn = 0;
  uint64_t slot[2][32];
};
struct thread {
  void *sp = nullptr;
  char *stack = nullptr;
  state st = ended;
  unsigned turn = 0;
  dim3 id;
  int at = 0; // number within the block
  const char *what = "";
  int line = 0;
  void *fake = nullptr; // the sanitizer's
};
struct machine {
  void *host = nullptr;
  thread *now = nullptr;
  dim3 block, threads, grid;
  std::vector<thread> all;
  std::vector<warp> warps;
  int living = 0, waiting = 0;
  void (*body)(void *) = nullptr;
  void *args = nullptr;
  unsigned order = 0;
  const char *kernel = "";
  uint64_t pairs = 0, boxes = 0;
  void *fake = nullptr;
  const void *bottom = nullptr;
  size_t size = 0;
};
inline machine &the() {
  static thread_local machine m;
  return m;
}
inline void order(unsigned o) { the().order = o; }

extern "C" void emu_switch(void **save, void *load);
#ifdef EMU_MAIN
asm(R"(.text
.globl emu_switch
.type emu_switch,@function
emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emu_switch,.-emu_switch
)");
#endif
const int saved_registers = 6;

[[noreturn]] inline void die(const char *message) {
  machine &m = the();
  fprintf(stderr, "emu: %s in kernel %s block (%u,%u,%u)\n", message, m.kernel, m.block.x, m.block.y, m.block.z);
  int shown = 0;
  for (auto &t : m.all)
    if (t.st != ready && shown++ < 6)
      fprintf(stderr, "  thread %u: %s line %d%s\n", t.id.x, t.st == ended ? "ended" : t.what, t.line,
              t.st == ended ? "" : " (waiting)");
  abort();
}

inline void to_host([[maybe_unused]] bool dying = false) {
  machine &m = the();
  thread *t = m.now;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(dying ? nullptr : &t->fake, m.bottom, m.size);
#endif
  emu_switch(&t->sp, m.host);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(t->fake, nullptr, nullptr);
#endif
}

// The first function on a thread's stack.
inline void begin() {
  machine &m = the();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &m.bottom, &m.size);
#endif
  m.body(m.args);
  thread *t = m.now;
  m.warps[t->at >> 5].alive &= ~(1u << (t->at & 31));
  m.living--;
  t->st = ended;
  to_host(true);
}

// All lanes of mask meet here; each leaves a number and may then read the others'.
inline const uint64_t *meet(int kind, uint32_t mask, uint64_t v, const char *what, int line) {
  machine &m = the();
  thread *t = m.now;
  warp &w = m.warps[t->at >> 5];
  unsigned lane = t->at & 31;
  t->what = what, t->line = line;
  if (!(mask >> lane & 1)) die("lane is not in its own mask");
  if (w.arrived == 0) w.want = mask, w.what = kind, w.line = line;
  else if (w.what != kind || w.want != mask || w.line != line) die("lanes of one warp meet at different collectives");
  if (mask & ~w.alive) die("mask names a lane that has ended");
  unsigned turn = w.turn;
  w.slot[turn & 1][lane] = v;
  w.arrived |= 1u << lane;
  if (w.arrived == mask) {
    w.arrived = 0;
    w.turn++;
  } else {
    t->st = at_meeting, t->turn = turn;
    do to_host();
    while (w.turn == turn);
    t->st = ready;
  }
  return w.slot[turn & 1];
}

inline void barrier(int line) {
  machine &m = the();
  thread *t = m.now;
  t->st = at_barrier, t->what = "__syncthreads", t->line = line;
  m.waiting++;
  to_host();
}

inline void fill_shared() {
#if !defined(__SANITIZE_ADDRESS__)
  extern char first[] __asm__("__start_emu_shared") __attribute__((weak));
  extern char last[] __asm__("__stop_emu_shared") __attribute__((weak));
  if (first) memset(first, 0xff, last - first);
#endif
}

inline void prepare(int n) {
  machine &m = the();
  m.living = n, m.waiting = 0;
  fill_shared();
  for (size_t have = m.all.size(); (int)have < n; have++) {
    m.all.emplace_back();
    m.all.back().stack = (char *)mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  m.warps.assign((n + 31) / 32, warp());
  for (int i = 0; i < n; i++) {
    thread &t = m.all[i];
    t.at = i, t.st = ready;
    t.id = dim3(i % m.threads.x, i / m.threads.x % m.threads.y, i / (m.threads.x * m.threads.y));
    m.warps[i >> 5].alive |= 1u << (i & 31);
    void **sp = (void **)(t.stack + stack_bytes);
    *--sp = nullptr;
    *--sp = (void *)begin;
    for (int k = 0; k < saved_registers; k++) *--sp = nullptr;
    t.sp = sp;
  }
}

// Runs thread i to where it next waits, if it can run.
inline bool step(int i) {
  machine &m = the();
  thread &t = m.all[i];
  if (t.st == ended || t.st == at_barrier || (t.st == at_meeting && m.warps[i >> 5].turn == t.turn)) return false;
  m.now = &t;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&m.fake, t.stack, stack_bytes);
#endif
  emu_switch(&m.host, t.sp);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(m.fake, nullptr, nullptr);
#endif
  return true;
}

// Lets all threads through a barrier that every one of them has reached.
inline bool open_barrier(int n) {
  machine &m = the();
  if (m.waiting == 0 || m.waiting != m.living) return false;
  if (m.living < n) die("__syncthreads that some threads never reach");
  for (int i = 0; i < n; i++) {
    if (m.all[i].line != m.all[0].line) die("threads meet at different __syncthreads");
    m.all[i].st = ready;
  }
  m.waiting = 0;
  return true;
}

inline void run_block() {
  machine &m = the();
  int n = m.threads.x * m.threads.y * m.threads.z, warps = (n + 31) / 32;
  prepare(n);
  bool down = m.order & 1;
  while (m.living > 0) {
    bool moved = false;
    if (m.order < 2) { // fair: every thread one step in turn
      for (int k = 0; k < n; k++) moved |= step(down ? n - 1 - k : k);
    } else { // greedy: one warp as far as it gets, then the next
      for (int q = 0; q < warps; q++) {
        int w = down ? warps - 1 - q : q;
        for (bool again = true; again; moved |= again) {
          again = false;
          for (int l = 0; l < 32 && w * 32 + l < n; l++) again |= step(w * 32 + l);
        }
      }
    }
    moved |= open_barrier(n);
    if (!moved && m.living > 0) die("deadlock: divergent barrier or collective");
  }
}

template <class F, class A> inline void launch(const char *name, F f, dim3 grid, dim3 threads, const A &a) {
  struct bound {
    F f;
    A a;
  } b{f, a};
  machine &m = the();
  m.kernel = name, m.threads = threads, m.grid = grid, m.args = &b;
  m.body = [](void *p) {
    bound *b = (bound *)p;
    b->f(b->a);
  };
  uint64_t n = (uint64_t)grid.x * grid.y * grid.z;
  for (uint64_t q = 0; q < n; q++) {
    uint64_t k = m.order & 1 ? n - 1 - q : q;
    m.block = dim3(k % grid.x, k / grid.x % grid.y, k / ((uint64_t)grid.x * grid.y));
    run_block();
  }
}

template <class T> inline uint64_t pack(T v) {
  uint64_t r = 0;
  memcpy(&r, &v, sizeof v);
  return r;
}
template <class T> inline T unpack(uint64_t r) {
  T v;
  memcpy(&v, &r, sizeof v);
  return v;
}
inline int lane() { return the().now->at & 31; }
template <class T> inline T shuffle(uint32_t mask, T v, int from, int line) {
  return unpack<T>(meet(2, mask, pack(v), "__shfl", line)[from & 31]);
}
inline uint32_t ballot(uint32_t mask, int p, int line) {
  const uint64_t *s = meet(3, mask, p != 0, "__ballot", line);
  uint32_t r = 0;
  for (int i = 0; i < 32; i++)
    if (mask >> i & 1) r |= (uint32_t)(s[i] & 1) << i;
  return r;
}
} // namespace emu

#define threadIdx (emu::the().now->id)
#define blockIdx (emu::the().block)
#define blockDim (emu::the().threads)
#define gridDim (emu::the().grid)
#define __syncthreads() emu::barrier(__LINE__)
#define __syncwarp() ((void)emu::meet(1, ~0u, 0, "__syncwarp", __LINE__))
#define __shfl_sync(m, v, s) emu::shuffle(m, v, s, __LINE__)
#define __shfl_xor_sync(m, v, s) emu::shuffle(m, v, emu::lane() ^ (s), __LINE__)
#define __shfl_up_sync(m, v, s) emu::shuffle(m, v, emu::lane() >= (s) ? emu::lane() - (s) : emu::lane(), __LINE__)
#define __ballot_sync(m, p) emu::ballot(m, p, __LINE__)
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int atomicAdd(int *p, int v) {
  int old = *p;
  *p += v;
  return old;
}
static inline void atomicMax(int *p, int v) {
  if (v > *p) *p = v;
}
static inline void atomicOr(int *p, int v) { *p |= v; }
static inline double ap_sqrt(double x) { return sqrt(x); }
static inline double ap_rint(double x) { return rint(x); }
#define AP_INF INFINITY
#define AP_PAIRS(n) (emu::the().pairs += (n))
#define AP_BOXES(n) (emu::the().boxes += (n))
