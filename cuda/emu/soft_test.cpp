// soft_test.cpp: passes of entropic transport against plain loops: log sums with both
// kinds of powers, the plan's sums and gradient, splits, weights of zero, four orders.
#include "harness.h"

struct pass {
  ap_soft A = {};
  vector<double> h, f, part, out;
  pass(const cloud &x, const cloud &y, double scale, int plain, int wide, int per) {
    A.x = x.x.data(), A.y = y.x.data(), A.n = x.n(), A.m = y.n(), A.scale = scale, A.plain = plain, A.wide = wide;
    A.per = per, A.splits = (A.m + per - 1) / per;
    std::mt19937 own(7);
    for (int j = 0; j < A.m; j++) h.push_back(std::uniform_real_distribution<double>(-9, 3)(own));
    for (int i = 0; i < A.n; i++) f.push_back(std::uniform_real_distribution<double>(-6, 2)(own));
    part.assign((size_t)AP_PULL * A.n * A.splits, NAN), out.assign((size_t)AP_PULL * A.n, NAN);
    A.h = h.data(), A.f = f.data(), A.part = part.data(), A.out = out.data();
  }
  void run(const char *name, void (*k)(ap_soft), int z) {
    emu::launch(name, k, dim3((A.n + AP_TILE - 1) / AP_TILE, 1, z), dim3(AP_TILE), A);
  }
  void sum() { run("ap_soft_sum", ap_soft_sum, A.splits), run("ap_soft_merge", ap_soft_merge, 1); }
  void pull() { run("ap_soft_pull", ap_soft_pull, A.splits), run("ap_soft_add", ap_soft_add, 1); }
  double cost(int i, int j) const {
    double d = distance(A.x + 3 * i, A.y + 3 * j);
    return A.plain ? d : d * d;
  }
};

static void sums(const char *name, const cloud &x, const cloud &y, double scale, int plain, int wide, int per) {
  pass p(x, y, scale, plain, wide, per);
  for (int j = 1; j < p.A.m; j += 7) p.h[j] = -INFINITY; // weights of zero
  for (int j = 0; j < 2 * SOFT_STEP && j + 1 < p.A.m; j++) p.h[j] = -INFINITY; // where the maximum begins
  p.sum();
  int wrong = 0;
  double worst = 0, tol = wide ? 4e-15 * (16 + scale * 4) : 3e-7;
  for (int i = 0; i < p.A.n; i++) {
    long double most = -INFINITY, s = 0;
    for (int j = 0; j < p.A.m; j++) most = std::max(most, (long double)p.h[j] - scale * p.cost(i, j));
    for (int j = 0; j < p.A.m; j++) s += exp2l((long double)p.h[j] - scale * p.cost(i, j) - most);
    double off = (double)fabsl(p.out[i] - (most + log2l(s)));
    worst = std::max(worst, off), wrong += !(off <= tol); // also NaN
  }
  CHECK(wrong == 0, "%s: %d log sums are off, by %.3g, allowed %.3g", name, wrong, worst, tol);
}

static void pulls(const char *name, const cloud &x, const cloud &y, double scale, int plain, int per) {
  pass p(x, y, scale, plain, 1, per);
  p.pull();
  int wrong = 0;
  double worst = 0, tol = 1e-13 * (4 + scale);
  for (int i = 0; i < p.A.n; i++) {
    double want[AP_PULL] = {}, size = 0;
    for (int j = 0; j < p.A.m; j++) {
      double c = p.cost(i, j), e = std::exp2(p.f[i] + p.h[j] - scale * c), by = plain ? c > 0 ? e / c : 0 : e;
      want[0] += e, want[1] += e * c, size += e * (1 + c);
      for (int k = 0; k < 3; k++) want[2 + k] += by * ((double)x.x[3 * i + k] - y.x[3 * j + k]);
    }
    for (int k = 0; k < AP_PULL; k++) {
      double off = std::fabs(p.out[AP_PULL * i + k] - want[k]) / size;
      worst = std::max(worst, off), wrong += !(off <= tol);
    }
  }
  CHECK(wrong == 0, "%s: %d numbers of the plan are off, by %.3g", name, wrong, worst);
}

static void orders(const cloud &x, const cloud &y) {
  pass a(x, y, 30, 0, 1, 256), b(x, y, 30, 1, 1, 256);
  a.sum(), b.pull();
  for (unsigned o = 1; o < 4; o++) {
    emu::order(o);
    pass c(x, y, 30, 0, 1, 256), d(x, y, 30, 1, 1, 256);
    c.sum(), d.pull();
    CHECK(!memcmp(c.out.data(), a.out.data(), 8 * (size_t)x.n()) && d.out == b.out, "order %u gives other bits", o);
  }
  emu::order(0);
}

int main(int, char **argv) {
  bool small = argv[1] != nullptr;
  int n = small ? 200 : 600;
  cloud x = cube(n), y = cube(2 * n + 61);
  for (int plain = 0; plain < 2; plain++) {
    const char *name = plain ? "distance" : "square";
    for (int wide = 0; wide < 2; wide++) {
      sums(name, x, y, 30, plain, wide, 128), sums(name, x, y, 30, plain, wide, 1024);
      sums(name, x, y, 1e4, plain, wide, 256), sums(name, y, x, 0.01, plain, wide, 128);
    }
    sums(name, cube(1), cube(1), 1, plain, 1, 128), sums(name, cube(3), cube(129), 5, plain, 1, 128);
    pulls(name, x, y, 30, plain, 256), pulls(name, y, x, 3, plain, 1024), pulls(name, x, x, 30, plain, 128);
    pulls(name, cube(1), cube(1), 1, plain, 128);
  }
  orders(x, y);
  printf("%s\n", failures ? "FAILED" : "ok");
  return failures != 0;
}
