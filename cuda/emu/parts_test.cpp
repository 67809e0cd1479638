// parts_test.cpp: single stages against plain loops: the distances, exponentials and
// logarithm, offsets, the radix sort, the walk through boxes, nearest neighbours.
#include "harness.h"

static void distances() {
  int wrong = 0;
  for (int i = 0; i < 50000; i++) {
    float a[3], b[3];
    for (int k = 0; k < 3; k++) a[k] = uniform(-1), b[k] = uniform(-1) * (i % 2 ? 1 : 1e-3f);
    volatile float q[3], s;
    for (int k = 0; k < 3; k++) {
      volatile float d = a[k] - b[k];
      q[k] = d * d;
    }
    s = q[0] + q[1];
    s = s + q[2];
    wrong += ap_near_square(a[0], a[1], a[2], b[0], b[1], b[2]) != s;
    wrong += ap_near_square(b[0], b[1], b[2], a[0], a[1], a[2]) != s;
    wrong += std::sqrt(ap_square(a, b)) != distance(a, b) || ap_square(a, b) != ap_square(b, a);
  }
  CHECK(wrong == 0, "%d distances differ", wrong);
}

static void functions() {
  double e1 = 0, e2 = 0, e3 = 0;
  for (int i = 0; i < 20000; i++) {
    double t = -uniform(0, 1) * (i % 3 ? 1 : 200), want = std::exp2(t);
    e1 = std::max(e1, std::fabs(ap_exp2f(t) / want - 1)), e2 = std::max(e2, std::fabs(ap_exp2(t) / want - 1));
    e3 = std::max(e3, std::fabs(ap_log2(want) - t) / std::max(1.0, -t));
  }
  CHECK(e1 < 1.5e-7 && e2 < 2e-15 && e3 < 1e-14, "2^t is off by %g and %g, log2 by %g", e1, e2, e3);
  CHECK(ap_exp2(-1e9) == 0 && ap_exp2f(-1e9) == 0 && ap_exp2(0) == 1 && ap_exp2f(0) == 1, "ends of 2^t");
  CHECK(ap_scale(3, 1023) == std::ldexp(3, 1023) && ap_scale(3, -1060) == std::ldexp(3, -1060), "scaling");
  for (double v : {1.0, 0.5, 0.75, 1e-200, 1e200}) {
    int e;
    std::frexp(v, &e);
    CHECK(ap_exponent(v) == e, "exponent of %g is %d", v, ap_exponent(v));
  }
}

static void scans(int n, int m) {
  pairs b;
  b.x = {cube(1)}, b.y = {cube(1)};
  call c(b, options());
  c.cx.assign(n + 1, 0), c.cy.assign(m + 1, 0);
  vector<int> wx(n + 1), wy(m + 1);
  for (int i = 0; i < n; i++) c.cx[i] = random_bits() % 50, wx[i + 1] = wx[i] + c.cx[i];
  for (int i = 0; i < m; i++) c.cy[i] = random_bits() % 50, wy[i + 1] = wy[i] + c.cy[i];
  c.A.cntx = c.cx.data(), c.A.cnty = c.cy.data(), c.A.totalx = n, c.A.totaly = m;
  c.A.scanblocks = (std::max(n, m) + SCAN_BLOCK - 1) / SCAN_BLOCK;
  c.scan.assign(2 * c.A.scanblocks + 2, 0);
  c.A.scan = c.scan.data();
  c.RUN(ap_scan_sums, SCAN_THREADS, c.A.scanblocks, 2);
  c.RUN(ap_scan_top, SCAN_THREADS, 2, 1);
  c.RUN(ap_scan_add, SCAN_THREADS, c.A.scanblocks, 2);
  bool totals = c.scan[2 * c.A.scanblocks] == wx[n] && c.scan[2 * c.A.scanblocks + 1] == wy[m];
  CHECK(c.cx == wx && c.cy == wy && totals, "offsets of %d and %d counts", n, m);
}

static vector<int> sorted(vector<uint64_t> k, vector<int> v) {
  int n = k.size(), blocks = (n + SORT_BLOCK - 1) / SORT_BLOCK;
  vector<uint64_t> k2(n);
  vector<int> v2(n), hist(16 * blocks);
  for (int shift = 0; shift < 64; shift += 4) {
    ap_sort s = {k.data(), v.data(), k2.data(), v2.data(), hist.data(), n, blocks, shift, 0};
    emu::launch("ap_sort_hist", ap_sort_hist, dim3(blocks), dim3(SORT_THREADS), s);
    emu::launch("ap_sort_scan", ap_sort_scan, dim3(1), dim3(SCAN_THREADS), s);
    emu::launch("ap_sort_scatter", ap_sort_scatter, dim3(blocks), dim3(SORT_THREADS), s);
    k.swap(k2), v.swap(v2);
  }
  return v;
}
static void sorts(int n) {
  vector<uint64_t> k(n);
  vector<int> v(n), want(n);
  for (int i = 0; i < n; i++) {
    k[i] = ((uint64_t)random_bits() << 31 ^ random_bits()) & (n < 100 ? 3 : ~0ull >> 1), v[i] = want[i] = i;
  }
  std::stable_sort(want.begin(), want.end(), [&](int a, int b) { return k[a] < k[b]; });
  CHECK(sorted(k, v) == want, "sort of %d keys", n);
}

// Counts of digits over more than one round of the scan: its scratch is used again.
static void digits(int blocks) {
  vector<int> hist(16 * blocks), want;
  int before = 0;
  for (int &h : hist) h = random_bits() % 2000, want.push_back(before), before += h;
  ap_sort s = {nullptr, nullptr, nullptr, nullptr, hist.data(), 0, blocks, 0, 0};
  emu::launch("ap_sort_scan", ap_sort_scan, dim3(1), dim3(SCAN_THREADS), s);
  CHECK(hist == want, "offsets of %d digits", 16 * blocks);
}

// tree is one sorted cloud with its boxes.
struct tree {
  int n;
  vector<int> val, perm;
  vector<float> s4, s3, box, super;
  tree(const cloud &c, const float *lo, float scale) : n(c.n()) {
    vector<uint64_t> key(n);
    val.resize(n), perm.resize(n), s4.resize(4 * n), s3.resize(3 * n);
    ap_key k = {c.x.data(), key.data(), val.data(), s4.data(), s3.data(), nullptr, nullptr, nullptr, nullptr,
                perm.data(), {lo[0], lo[1], lo[2]}, scale, n, 0};
    emu::launch("ap_morton", ap_morton, dim3((n + 255) / 256), dim3(THREADS), k);
    val = sorted(key, val);
    k.val = val.data();
    emu::launch("ap_gather", ap_gather, dim3((n + 255) / 256), dim3(THREADS), k);
  }
  void boxes(const float *par) {
    int t = (n + 31) / 32, s = (t + 31) / 32;
    box.resize(8 * t), super.resize(8 * s);
    ap_boxes b = {s4.data(), par, box.data(), n, 0}, q = {box.data(), nullptr, super.data(), t, 1};
    emu::launch("ap_box", ap_box, dim3((t * 32 + 255) / 256), dim3(THREADS), b);
    emu::launch("ap_box", ap_box, dim3((s * 32 + 255) / 256), dim3(THREADS), q);
  }
};

// The walk gives the bits of near2 and the lists of the mask, over sorted points.
static void trees(const char *name, const cloud &x, const cloud &y, double loginverse) {
  float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 1e-30f;
  for (const cloud *c : {&x, &y})
    for (size_t i = 0; i < c->x.size(); i++) {
      lo[i % 3] = std::min(lo[i % 3], c->x[i]), hi[i % 3] = std::max(hi[i % 3], c->x[i]);
      extent = std::max(extent, hi[i % 3] - lo[i % 3]);
    }
  tree tx(x, lo, 2097152 / extent), ty(y, lo, 2097152 / extent);
  pairs b;
  b.x.resize(1), b.y.resize(1), b.x[0].x = tx.s3, b.y[0].x = ty.s3;
  options o;
  o.loginverse = loginverse;
  call brute(b, o);
  brute.candidates();
  vector<float> px(brute.parx.size()), py(brute.pary.size());
  vector<int> cx(tx.n + 1), cy(ty.n + 1), ix(brute.ix.size(), -1), iy(brute.iy.size(), -1);
  auto walk = [&](const char *kernel, void (*k)(ap_walk), int cap) {
    tx.boxes(px.data()), ty.boxes(py.data());
    ap_walk w = {tx.s4.data(), ty.s4.data(), tx.box.data(), ty.box.data(), ty.super.data(), px.data(), py.data(),
                 cx.data(), ix.data(), tx.n, ty.n, cap, 0, 0, 0, 0, 0};
    ap_walk v = {ty.s4.data(), tx.s4.data(), ty.box.data(), tx.box.data(), tx.super.data(), py.data(), px.data(),
                 cy.data(), iy.data(), ty.n, tx.n, cap, 0, 0, 0, 0, 0};
    emu::launch(kernel, k, dim3((tx.n + 127) / 128), dim3(WALKERS * 32), w);
    emu::launch(kernel, k, dim3((ty.n + 127) / 128), dim3(WALKERS * 32), v);
  };
  uint64_t before = emu::the().pairs;
  walk("ap_tree_near2", ap_tree_near2, 0);
  double visited = double(emu::the().pairs - before) / (tx.n + ty.n);
  for (auto *p : {&brute.parx, &brute.pary})
    for (size_t i = 0; i < p->size(); i += 4) {
      vector<float> &mine = p == &brute.parx ? px : py;
      mine[i + 2] = mine[i] == (*p)[i] && mine[i + 1] == (*p)[i + 1] ? (*p)[i + 2] : -1;
    }
  CHECK(px == brute.parx && py == brute.pary, "%s: the walk's nearest differ", name);
  walk("ap_tree_count", ap_tree_count, 0);
  for (auto *c : {&cx, &cy}) {
    int s = 0;
    for (int &v : *c) std::swap(s, v), s += v;
  }
  CHECK(cx == brute.cx && cy == brute.cy, "%s: the walk's counts differ", name);
  if (cx != brute.cx || cy != brute.cy) return;
  walk("ap_tree_write", ap_tree_write, (int)ix.size());
  CHECK(ix == brute.ix && iy == brute.iy, "%s: the walk's lists differ", name);
  printf("tree %-10s %5d x %5d: %6d entries, %.0f pairs a point for two nearest\n", name, tx.n, ty.n, brute.A.cap,
         visited);
}

static void nearest(const char *name, const cloud &x, const cloud &y) {
  vector<ap_tile> tx, ty;
  for (int i = 0; i < x.n(); i += AP_TILE) tx.push_back({0, i});
  for (int i = 0; i < y.n(); i += AP_TILE) ty.push_back({0, i});
  ap_pair p = {};
  p.n = x.n(), p.m = y.n();
  vector<float> px(2 * x.n()), py(2 * y.n());
  vector<double> dx(x.n()), dy(y.n());
  vector<int> ix(x.n()), iy(y.n());
  ap_near a = {x.x.data(), y.x.data(), &p, tx.data(), ty.data(), px.data(), py.data(), dx.data(), dy.data(), ix.data(),
               iy.data(), (int)tx.size(), (int)ty.size(), 0, 0};
  unsigned tiles = std::max(tx.size(), ty.size());
  emu::launch("ap_near1", ap_near1, dim3(tiles, 1, 2), dim3(THREADS), a);
  emu::launch("ap_near1_exact", ap_near1_exact, dim3(tiles, 1, 2), dim3(THREADS), a);
  int wrong = 0;
  for (int dir = 0; dir < 2; dir++) {
    const cloud &s = dir ? y : x, &o = dir ? x : y;
    for (int i = 0; i < s.n(); i++) {
      double d = INFINITY;
      int best = -1;
      for (int j = 0; j < o.n(); j++) {
        double e = ap_square(&s.x[3 * i], &o.x[3 * j]);
        if (e < d) d = e, best = j;
      }
      wrong += best != (dir ? iy : ix)[i] || d != (dir ? dy : dx)[i];
    }
  }
  CHECK(wrong == 0, "nearest of %s: %d wrong", name, wrong);
}

static cloud shell(int n) { // all at distance 1 but for their own rounding
  cloud c = cube(n);
  for (int i = 0; i < n; i++) {
    float *q = &c.x[3 * i], r = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 3; k++) q[k] *= r;
  }
  return c;
}
static cloud origin() {
  cloud c;
  c.x = {0, 0, 0};
  return c;
}
static cloud outlier(cloud c) {
  c.x[0] = 1e4;
  return c;
}
static cloud spot(int n) {
  cloud c = cube(n);
  for (float &v : c.x) v = 0.25f + v * 1e-7f;
  return c;
}

// A tile of 32 points in a cube, half of them beside two points of y that are close: those
// lanes have a small bound. Others have their nearest in the next cube, which lies apart.
static void twins() {
  cloud x, y;
  for (int i = 0; i < 32; i++)
    for (int k = 0; k < 3; k++) x.x.push_back(uniform(0, 8));
  for (int i = 0; i < 32; i++)
    for (int k = 0; k < 3; k++) y.x.push_back(x.x[3 * (i & ~1) + k] + (i % 2 ? 1e-3f : -1e-3f));
  for (int i = 0; i < 32; i++)
    for (int k = 0; k < 3; k++) y.x.push_back(uniform(0, 8) + (k ? 0.f : 8.5f));
  trees("twins", x, y, 46);
}

int main(int, char **argv) {
  bool small = argv[1] != nullptr;
  int n = small ? 400 : 1500;
  distances(), functions();
  for (unsigned o = 0; o < 4; o++) {
    emu::order(o);
    scans(1, 8191), scans(8193, 20000);
    for (int k : {1, 31, 2048, 5000}) sorts(k);
    digits(64), digits(300);
  }
  emu::order(3);
  trees("cube", cube(n), cube(n + 77), 46), trees("sphere", sphere(n), sphere(n), 46);
  trees("apart", sphere(n / 2), moved(sphere(n / 2), 1700), 46), trees("outlier", outlier(cube(n)), cube(n), 46);
  trees("spot", spot(n / 4), cube(n), 46), trees("few", cube(3), cube(n), 23), trees("one", cube(1), cube(70), 46);
  trees("all", cube(70), cube(90), INFINITY);
  for (int k = 0; k < 20; k++) twins();
  nearest("cubes", cube(300), cube(517)), nearest("one", cube(1), cube(1)), nearest("grid", grid(500, 8), grid(300, 8));
  for (int k = 0; k < 500; k++) nearest("shell", origin(), shell(3));
  nearest("shell", origin(), shell(500));
  printf("%s\n", failures ? "FAILED" : "ok");
  return failures != 0;
}
