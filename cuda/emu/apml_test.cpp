// apml_test.cpp: whole calls against the dense plan in double: support, value and
// gradient; batches against their pairs alone; four orders with the same bits.
#include "harness.h"

static pairs one(const cloud &x, const cloud &y) {
  pairs b;
  b.x = {x}, b.y = {y};
  return b;
}

// Entries of the support, by first copies, against the dense plan's.
static int support(const call &c, const cloud &x, const cloud &y, const dense &d) {
  vector<int> fx, fy; // first copy of every point
  for (auto *p : {&x, &y}) {
    int s = 0;
    for (int i = 0; i < p->n(); i++) (p == &x ? fx : fy).push_back(s), s += p->mult.empty() ? 1 : p->mult[i];
  }
  int wrong = 0;
  vector<char> mine(d.kept.size());
  for (int i = 0; i < x.n(); i++)
    for (int e = c.cx[i]; e < c.cx[i + 1]; e++) {
      int j = c.ix[e];
      double v = distance(&x.x[3 * i], &y.x[3 * j]);
      char k = (v - c.dirx[4 * i] < c.dirx[4 * i + 1]) + 2 * (v - c.diry[4 * j] < c.diry[4 * j + 1]);
      mine[d.at(fx[i], fy[j])] = k;
      wrong += c.ix[e] < 0 || (e > c.cx[i] && c.ix[e - 1] >= c.ix[e]);
    }
  for (int i = 0; i < x.n(); i++)
    for (int j = 0; j < y.n(); j++) wrong += mine[d.at(fx[i], fy[j])] != (d.kept[d.at(fx[i], fy[j])] & 3);
  return wrong;
}

static void whole(const char *name, const cloud &x, const cloud &y, options o, double tol = 1e-7) {
  call c(one(x, y), o);
  c.all();
  dense d(x, y, o);
  int wrong = support(c, x, y, d);
  double off = std::fabs(c.value(0) - d.value) / d.value, worst = 0, largest = 1e-300;
  for (int i = 0, copy = 0; i < x.n(); copy += x.mult.empty() ? 1 : x.mult[i], i++)
    for (int k = 0; k < 3; k++) {
      worst = std::max(worst, std::fabs(c.gx[3 * i + k] - d.gx[3 * copy + k]));
      largest = std::max(largest, std::fabs(d.gx[3 * copy + k]));
    }
  bool ok = wrong == 0 && off <= tol && worst <= 10 * tol * largest;
  CHECK(ok, "%s: %d entries wrong, value off by %.2g, gradient by %.2g", name, wrong, off, worst / largest);
  printf("%-24s %5d x %5d: %7d entries, value %.9g off by %.1e, gradient %.1e\n", name, x.n(), y.n(), c.A.cap,
         c.value(0), off, worst / largest);
}

static options with(double loginverse, int reference = 0, int rounds = 20, int wide = 0) {
  options o;
  o.loginverse = loginverse, o.reference = o.count = reference, o.uniform = !reference;
  o.rounds = rounds, o.wide = wide;
  return o;
}

static cloud weighted(cloud c) {
  double s = 0;
  for (int i = 0; i < c.n(); i++) c.w.push_back(uniform(0.5f, 2)), s += c.w.back();
  for (double &w : c.w) w *= c.n() / s;
  return c;
}

// Weights: columns meet their targets after the last half round.
static void weights() {
  cloud x = weighted(cube(200)), y = weighted(cube(150));
  call c(one(x, y), with(46));
  c.all();
  double mass = c.sum[1], off = c.sum[AP_SUMS + 2];
  CHECK(std::fabs(mass - 150) < 1e-5 && off < 1e-5, "weighted columns have mass %.9g, off by %.3g", mass, off);
}

// Every pair alone and in company, in four orders of threads and blocks.
static void batches(bool small) {
  pairs b;
  for (int n : {1, 2, 31, 33, 128, 129, small ? 140 : 300})
    b.x.push_back(cube(n)), b.y.push_back(n % 2 ? sphere(257 - n / 2) : grid(n + 5, 4));
  call all(b, with(46));
  all.all();
  for (unsigned o = 1; o < 4; o++) {
    emu::order(o);
    call again(b, with(46));
    again.all();
    bool same = again.ix == all.ix && again.kx == all.kx && again.u == all.u && again.v == all.v;
    same = same && again.gx == all.gx && again.gy == all.gy && again.sum == all.sum;
    CHECK(same, "order %u gives other bits", o);
  }
  emu::order(0);
  for (size_t k = 0; k < b.x.size(); k++) {
    call alone(one(b.x[k], b.y[k]), with(46));
    alone.all();
    bool same = alone.value(0) == all.value((int)k);
    for (int i = 0; i < 3 * b.x[k].n(); i++) same = same && alone.gx[i] == all.gx[3 * all.pair[k].x0 + i];
    CHECK(same, "pair %zu has other bits in company: %.17g, %.17g", k, alone.value(0), all.value((int)k));
  }
}

static void rows() { // the sums that the bound, the errors and the threshold are made of
  cloud x = cube(300), y = cube(200);
  call c(one(x, y), with(23));
  c.candidates();
  c.RUN(ap_spread, AP_TILE, c.tiles(), 2);
  c.total();
  double spread = 0;
  for (int i = 0; i < 300; i++) spread += 0.5 * std::log((double)c.parx[4 * i + 1] / c.parx[4 * i]);
  CHECK(std::fabs(c.sum[0] / spread - 1) < 1e-9 && c.sum[1] == 300, "spread %g of %g points, want %g", c.sum[0],
        c.sum[1], spread);
  c.exact();
  c.balance();
  double mass = c.sum[1], off = c.sum[2], most = c.sum[3];
  c.RUN(ap_error, THREADS, c.A.tilesx, 1);
  c.total();
  CHECK(std::fabs(c.sum[1] - mass) < 1e-9 && std::fabs(c.sum[2] - off) < 1e-9 && std::fabs(c.sum[3] - most) < 1e-9,
        "row error %g, %g from the gradient's pass", c.sum[2], off);
  c.RUN(ap_bound, AP_TILE, c.tiles(), 2);
  c.total();
  double u = 0, q = 0, r = 0;
  for (int i = 0; i < 300; i++) {
    const double *d = &c.dirx[4 * i];
    u += c.u[i], q += c.u[i] * d[3], r += c.u[i] * d[3] * (d[0] + d[1]);
  }
  for (auto s : {c.sum[0] / u, c.sum[1] / q, c.sum[2] / r}) CHECK(std::fabs(s - 1) < 1e-12, "sums of the bound");
}

static void closed() { // values that are known
  cloud two;
  two.x = {0, 0, 0, 1, 0, 0};
  call c(one(two, two), options());
  c.all();
  CHECK(std::fabs(c.value(0) - 1.0 / 3) < 1e-7, "two points against themselves: %.12g, want 1/3", c.value(0));
}

// Points on lines, with distances that are exact: the support ends at some of them.
static void edge(int n) {
  cloud x, y;
  for (int i = 0; i < n; i++) {
    x.x.insert(x.x.end(), {float(2 * i + i % 3), 0, 0});
    y.x.insert(y.x.end(), {float(2 * i) + 0.25f, 0, 0});
  }
  options o = with(2 * std::log((n - 1) / (1 - 0.8))); // a factor of 2
  o.margin = 0;
  whole("at the edge", x, y, o);
}

int main(int, char **argv) {
  bool small = argv[1] != nullptr;
  int n = small ? 150 : 400;
  closed(), weights(), rows(), batches(small), edge(40);
  whole("cube", cube(n), cube(n + 117), with(46)), whole("sphere", sphere(n), sphere(n), with(46));
  whole("far from the origin", moved(sphere(n), 1000), moved(sphere(n), 1000), with(46));
  whole("1,700 radii apart", sphere(n / 2), moved(sphere(n / 2), 1700), with(46), 1e-6);
  whole("reference", cube(n), cube(n), with(23, 1)), whole("reference, spheres", sphere(n), sphere(n / 2), with(23, 1));
  whole("ties", grid(60, 4), cube(n / 2), with(46)), whole("ties both ways", grid(50, 3), grid(70, 3), with(46));
  whole("ties, split", grid(n, 5), grid(n, 4), with(23, 1));
  whole("multiplicity", grid(n, 7), cube(n / 2), with(46, 0, 40));
  options mixed = with(46);
  mixed.count = 1;
  whole("ties, merged by count", grid(50, 3), grid(70, 3), mixed), whole("the same", grid(50, 3), cube(n / 2), mixed);
  whole("all pairs, ties", grid(50, 3), grid(70, 4), with(INFINITY, 0, 20, 1), 1e-9);
  whole("all pairs", cube(n / 3), cube(n / 3), with(INFINITY, 0, 20, 1), 1e-9);
  whole("low threshold", sphere(n / 3), moved(sphere(n / 3), 3), with(180, 0, 20, 1), 1e-9);
  whole("100 rounds, 150 x 3", cube(150), cube(3), with(46, 0, 100)), whole("one", cube(1), cube(n), with(46));
  whole("against one", cube(n), cube(1), with(46)), whole("rho below 1", cube(n), cube(n), with(3));
  printf("%s\n", failures ? "FAILED" : "ok");
  return failures != 0;
}
