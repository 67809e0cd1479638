// harness.h: clouds, one call of sparse APML by single launches, and plain double
// references written apart from the kernels.
#pragma once
#define AP_EMU
#define EMU_MAIN
#include "../apml.cu"
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>
using std::vector;

static int failures;
#define CHECK(ok, ...)      \
  do {                      \
    if (!(ok)) {            \
      failures++;           \
      printf("FAIL ");      \
      printf(__VA_ARGS__);  \
      printf("\n");         \
    }                       \
  } while (0)

struct cloud {
  vector<float> x;
  vector<double> w;
  vector<int32_t> mult;
  int n() const { return (int)x.size() / 3; }
};
static std::mt19937 random_bits(3);
static float uniform(float lo = 0, float hi = 1) { return std::uniform_real_distribution<float>(lo, hi)(random_bits); }
static cloud cube(int n) {
  cloud c;
  for (int i = 0; i < 3 * n; i++) c.x.push_back(uniform());
  return c;
}
static cloud sphere(int n) {
  cloud c;
  while (c.n() < n) {
    float p[3], r = 0;
    for (float &v : p) v = uniform(-1, 1), r += v * v;
    if (r > 1 || r < 0.01f) continue;
    for (float v : p) c.x.push_back(v / std::sqrt(r));
  }
  return c;
}
static cloud moved(cloud c, float by) {
  for (float &v : c.x) v += by;
  return c;
}
static cloud grid(int n, int steps) { // with ties and, where n is large, equal points: those are joined
  cloud c = cube(n), u;
  for (float &v : c.x) v = std::floor(v * steps) / steps;
  for (int i = 0; i < n; i++) {
    int k = 0;
    for (; k < u.n(); k++)
      if (std::equal(&c.x[3 * i], &c.x[3 * i] + 3, &u.x[3 * k])) break;
    if (k < u.n()) u.mult[k]++;
    else u.x.insert(u.x.end(), &c.x[3 * i], &c.x[3 * i] + 3), u.mult.push_back(1);
  }
  return u;
}

struct options {
  double p = 0.8, loginverse = 46.051701859880914, margin = 1e-8;
  int reference = 0, uniform = 1, count = 0, rounds = 20, wide = 0;
};
struct pairs {
  vector<cloud> x, y;
};

static int counted(const cloud &c) {
  int s = 0;
  for (int m : c.mult) s += m;
  return c.mult.empty() ? c.n() : s;
}

// call holds the arrays of one call and launches its stages.
struct call {
  ap_args A = {};
  vector<ap_pair> pair;
  vector<ap_tile> tx, ty;
  vector<float> x, y, parx, pary, fx, fy;
  vector<double> wx, wy, dirx, diry, u, v, gx, gy, rowx, rowy, tsx, tsy, sum, tie, kx, ky;
  vector<int32_t> mx, my, cx, cy, ix, iy, px, py, base, flags;
  vector<uint32_t> bx, by;
  vector<int64_t> scan;
  options o;

  void lay(const cloud &c, vector<float> &p, vector<double> &w, vector<int32_t> &m, vector<ap_tile> &t, int pair) {
    p.insert(p.end(), c.x.begin(), c.x.end());
    for (int i = 0; i < c.n(); i++) {
      w.push_back(c.w.empty() ? 1 : c.w[i]);
      m.push_back(c.mult.empty() ? 1 : c.mult[i]);
      if (i % AP_TILE == 0) t.push_back({pair, i});
    }
  }
  call(const pairs &b, const options &opt) : o(opt) {
    int64_t bits = 0;
    for (size_t k = 0; k < b.x.size(); k++) {
      ap_pair p = {};
      p.x0 = x.size() / 3, p.y0 = y.size() / 3, p.bit0 = bits, p.unit = 1;
      p.n = b.x[k].n(), p.m = b.y[k].n(), p.totaln = counted(b.x[k]), p.totalm = counted(b.y[k]);
      double lr = p.totalm > 1 ? std::log((p.totalm - 1) / (1 - o.p)) : 0;
      double lc = p.totaln > 1 ? std::log((p.totaln - 1) / (1 - o.p)) : 0;
      p.rho = lr > 0 ? o.loginverse / lr : INFINITY, p.rhoc = lc > 0 ? o.loginverse / lc : INFINITY;
      p.logterm = lr / std::log(2.0), p.logtermc = lc / std::log(2.0);
      bits += (int64_t)((p.n + 31) / 32) * ((p.m + 31) / 32) * 32;
      lay(b.x[k], x, wx, mx, tx, k), lay(b.y[k], y, wy, my, ty, k);
      pair.push_back(p);
    }
    size_t n = x.size() / 3, m = y.size() / 3, most = 0;
    for (auto &p : pair) most += (size_t)p.n * p.m;
    parx.resize(4 * n), pary.resize(4 * m), dirx.resize(4 * n), diry.resize(4 * m), cx.resize(n + 1), cy.resize(m + 1);
    u.resize(n), v.resize(m), gx.resize(3 * n), gy.resize(3 * m), rowx.resize(4 * n), rowy.resize(4 * m);
    tsx.resize(4 * tx.size()), tsy.resize(4 * ty.size()), sum.resize(8 * pair.size()), tie.resize(8 * pair.size());
    px.resize(n), py.resize(m), base.resize(2 * pair.size()), flags.resize(AP_FLAGS), bx.resize(bits), by.resize(bits);
    A.totalx = n, A.totaly = m, A.tilesx = tx.size(), A.tilesy = ty.size(), A.pairs = pair.size();
    A.scanblocks = (std::max(n, m) + SCAN_BLOCK - 1) / SCAN_BLOCK;
    scan.resize(2 * A.scanblocks + 2);
    A.x = x.data(), A.y = y.data(), A.wx = wx.data(), A.wy = wy.data(), A.mx = mx.data(), A.my = my.data();
    A.pair = pair.data(), A.tilex = tx.data(), A.tiley = ty.data(), A.parx = parx.data(), A.pary = pary.data();
    A.dirx = dirx.data(), A.diry = diry.data(), A.cntx = cx.data(), A.cnty = cy.data();
    A.bitx = bx.data(), A.bity = by.data();
    A.u = u.data(), A.v = v.data(), A.putx = px.data(), A.puty = py.data(), A.base = base.data();
    A.gx = gx.data(), A.gy = gy.data(), A.rowx = rowx.data(), A.rowy = rowy.data();
    A.tilesumx = tsx.data(), A.tilesumy = tsy.data(), A.sum = sum.data(), A.tie = tie.data(), A.scan = scan.data();
    A.flags = flags.data(), A.margin = o.margin, A.floor = o.reference ? 1e-6 : 0, A.share = o.count ? 1 : 0.5;
    A.reference = o.reference, A.uniform = o.uniform, A.count = o.count, A.wide = o.wide;
  }
  void run(const char *name, void (*k)(ap_args), int threads, unsigned gx, unsigned gz) {
    emu::launch(name, k, dim3(gx, 1, gz), dim3(threads), A);
  }
  unsigned tiles() const { return std::max(A.tilesx, A.tilesy); }
#define RUN(k, threads, grid, z) run(#k, k, threads, grid, z)
  void candidates() {
    RUN(ap_near2, THREADS, tiles(), 2);
    RUN(ap_radius, AP_TILE, tiles(), 2);
    RUN(ap_mask, THREADS, A.tilesx, 1);
    RUN(ap_mask_count, AP_TILE, tiles(), 2);
    lists();
    RUN(ap_mask_write, AP_TILE, tiles(), 2);
  }
  void lists() { // offsets, and room for the entries
    RUN(ap_scan_sums, SCAN_THREADS, A.scanblocks, 2);
    RUN(ap_scan_top, SCAN_THREADS, 2, 1);
    CHECK(scan[2 * A.scanblocks] == scan[2 * A.scanblocks + 1], "rows have %lld entries, columns %lld",
          (long long)scan[2 * A.scanblocks], (long long)scan[2 * A.scanblocks + 1]);
    A.cap = (int32_t)scan[2 * A.scanblocks];
    ix.assign(A.cap, -1), iy.assign(A.cap, -1), kx.assign(A.cap, 0), ky.assign(A.cap, 0);
    A.idxx = ix.data(), A.idxy = iy.data(), A.kx = kx.data(), A.ky = ky.data();
    RUN(ap_scan_add, SCAN_THREADS, A.scanblocks, 2);
  }
  void total() {
    RUN(ap_reduce, AP_TILE, tiles(), 2);
    RUN(ap_total, THREADS, A.pairs, 2);
  }
  void exact() {
    RUN(ap_exact, THREADS, tiles(), 2);
    A.ties = flags[AP_FLAG_TIES];
  }
  void balance() {
    RUN(ap_value, THREADS, tiles(), 2);
    for (int i = 0; i < o.rounds; i++) {
      if (i && i % 32 == 0 && !A.ties) {
        RUN(ap_absorb, THREADS, tiles(), 2);
        std::fill(base.begin(), base.end(), (int)0x80808080);
        RUN(ap_put, AP_TILE, tiles(), 2);
      }
      for (int dir = 0; dir < 2; dir++) {
        if (A.ties) RUN(ap_tiesum, THREADS, A.pairs, 2);
        if (dir) RUN(ap_sink_col, THREADS, A.tilesy, 1);
        else RUN(ap_sink_row, THREADS, A.tilesx, 1);
      }
    }
    RUN(ap_grad, THREADS, tiles(), 2);
    total();
  }
  void all() { candidates(), exact(), balance(); }
  double value(int pair) const { return sum[(size_t)pair * 8]; }
};

// distance in double by volatile steps: nothing fused, nothing kept in wider registers.
static double distance(const float *p, const float *q) {
  volatile double s = 0;
  for (int k = 0; k < 3; k++) {
    volatile double d = (double)p[k] - q[k], e = d * d;
    s = s + e;
  }
  return std::sqrt(s);
}

// dense is the plan of one pair over all N M points, plain loops in double.
struct dense {
  int n, m; // original points
  vector<float> x, y;
  vector<double> P;
  vector<char> kept; // 1 by the row, 2 by the column
  double value = 0;
  vector<double> gx;

  static vector<float> spread(const cloud &c) { // every copy by itself
    vector<float> p;
    for (int i = 0; i < c.n(); i++)
      for (int k = 0; k < (c.mult.empty() ? 1 : c.mult[i]); k++) p.insert(p.end(), &c.x[3 * i], &c.x[3 * i] + 3);
    return p;
  }
  size_t at(int i, int j) const { return (size_t)i * m + j; }
  void side(const options &o, int dir) {
    int rows = dir ? m : n, cols = dir ? n : m;
    vector<double> d(cols);
    for (int i = 0; i < rows; i++) {
      auto pos = [&](int j) { return dir ? at(j, i) : at(i, j); };
      double a = INFINITY, b = INFINITY, s = 0;
      for (int j = 0; j < cols; j++) {
        double v = d[j] = dir ? distance(&x[3 * j], &y[3 * i]) : distance(&x[3 * i], &y[3 * j]);
        if (v < a) b = a, a = v;
        else if (v < b) b = v;
      }
      double l = cols > 1 ? std::log((cols - 1) / (1 - o.p)) : 0, gap = cols > 1 ? b - a : 1;
      double share = o.count ? 1 : 0.5;
      if (gap == 0 && o.uniform) {
        int bit = (std::isinf(o.loginverse) ? 1 : 4) << dir;
        for (int j = 0; j < cols; j++) P[pos(j)] += share / cols, kept[pos(j)] |= bit;
        continue;
      }
      double g = cols == 1 ? 1 : o.reference ? std::max(gap, o.margin) : gap + o.margin;
      double R = l > 0 ? o.loginverse / l * g : INFINITY;
      for (int j = 0; j < cols; j++)
        if (d[j] - a < R) s += std::exp((a - d[j]) * l / g);
      for (int j = 0; j < cols; j++)
        if (d[j] - a < R) P[pos(j)] += share * std::exp((a - d[j]) * l / g) / s, kept[pos(j)] |= 1 << dir;
    }
  }
  dense(const cloud &cx, const cloud &cy, const options &o) : x(spread(cx)), y(spread(cy)) {
    n = x.size() / 3, m = y.size() / 3;
    P.assign((size_t)n * m, 0), kept.assign((size_t)n * m, 0);
    side(o, 0), side(o, 1);
    if (o.count)
      for (size_t k = 0; k < P.size(); k++)
        if ((kept[k] & 5) && (kept[k] & 10)) P[k] /= 2;
    auto by = [&](double sum) { return o.reference ? (sum > 1e-8 ? sum : 1) : sum + 1e-8; };
    for (int r = 0; r < o.rounds; r++) {
      for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < m; j++) s += P[at(i, j)];
        for (int j = 0; j < m; j++) P[at(i, j)] /= by(s);
      }
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int i = 0; i < n; i++) s += P[at(i, j)];
        for (int i = 0; i < n; i++) P[at(i, j)] /= by(s);
      }
    }
    gx.assign(3 * n, 0);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double q = P[at(i, j)], d = distance(&x[3 * i], &y[3 * j]), by = o.reference ? std::max(d, 1e-6) : d;
        value += q * d;
        for (int k = 0; k < 3 && by > 0; k++) gx[3 * i + k] += q * ((double)x[3 * i + k] - y[3 * j + k]) / by;
      }
  }
};
