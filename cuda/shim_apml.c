//go:build cgo && linux

// shim_apml.c: sparse APML as launches. The steps of one job leave its arrays on the
// device; another operation of the same context ends the job.
#include "ctx.h"
#include <stdlib.h>
#include <string.h>

#define THREADS 256
#define WALK_THREADS 128
#define WALK_POINTS 128 // of a block
#define SCAN_THREADS 1024
#define SCAN_BLOCK 8192
#define SORT_BLOCK 2048
#define ABSORB 32 // rounds after which powers of two go from the scalings into the entries

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int most_tiles(const ap_ctx *c) { return c->A.tilesx > c->A.tilesy ? c->A.tilesx : c->A.tilesy; }
static int64_t blocks(int64_t n, int64_t by) { return (n + by - 1) / by; }

// launch queues a kernel with the job's arguments for every tile, in parts where
// one launch would be long; each is the pairs or entries of a tile.
static ap_status launch(ap_ctx *c, int k, int threads, int tiles, int z, int64_t each) {
  int64_t step = larger(ap_most(c) / larger(each * z, 1), 1);
  for (int64_t at = 0; at < tiles; at += step) {
    int64_t n = tiles - at < step ? tiles - at : step;
    c->A.tile0 = (int32_t)at;
    TRY(ap_launch(c, k, n, z, threads, &c->A, n * z * each));
  }
  c->A.tile0 = 0;
  return AP_OK;
}
static ap_status both(ap_ctx *c, int k, int threads, int64_t each) {
  return launch(c, k, threads, most_tiles(c), 2, each);
}

// Places of the job's arrays; the first time with base 0, to know the size.
static void place(ap_ctx *c, ap_layout *l, const ap_pair *pair, int weights, int multiplicities) {
  ap_args *A = &c->A;
  const ap_job *j = &c->job;
  size_t n = (size_t)j->totalx, m = (size_t)j->totaly, p = (size_t)j->pairs;
#define PLACE(field, bytes) A->field = ap_place(l, bytes)
#define BOTH(field, bytes) PLACE(field##x, (bytes) * n), PLACE(field##y, (bytes) * m)
  PLACE(x, 12 * n), PLACE(y, 12 * m);
  A->wx = A->wy = 0, A->mx = A->my = 0, A->permx = A->permy = 0, A->bitx = A->bity = 0;
  if (weights) BOTH(w, 8);
  if (multiplicities) BOTH(m, 4);
  PLACE(pair, sizeof(ap_pair) * p);
  PLACE(tilex, sizeof(ap_tile) * (size_t)j->tilesx), PLACE(tiley, sizeof(ap_tile) * (size_t)j->tilesy);
  BOTH(par, 16), BOTH(dir, 32), BOTH(put, 4);
  PLACE(cntx, 4 * (n + 1)), PLACE(cnty, 4 * (m + 1));
  PLACE(u, 8 * n), PLACE(v, 8 * m), PLACE(gx, 24 * n), PLACE(gy, 24 * m);
  BOTH(row, 8 * AP_SUMS);
  PLACE(tilesumx, 8 * AP_SUMS * (size_t)j->tilesx), PLACE(tilesumy, 8 * AP_SUMS * (size_t)j->tilesy);
  PLACE(sum, 16 * AP_SUMS * p), PLACE(tie, 64 * p), PLACE(base, 8 * p), PLACE(flags, 4 * AP_FLAGS);
  A->scanblocks = (int32_t)blocks(larger(j->totalx, j->totaly), SCAN_BLOCK);
  PLACE(scan, 16 * (size_t)A->scanblocks + 16);
  if (!j->tree) {
    const ap_pair *q = pair + p - 1;
    size_t words = (size_t)q->bit0 + (size_t)blocks(q->n, 32) * (size_t)blocks(q->m, 32) * 32;
    PLACE(bitx, 4 * words), PLACE(bity, 4 * words);
    return;
  }
  BOTH(perm, 4);
  c->sortedx = ap_place(l, 16 * n), c->sortedy = ap_place(l, 16 * m);
  c->boxx = ap_place(l, 32 * (n / 32 + p + 1)), c->boxy = ap_place(l, 32 * (m / 32 + p + 1));
  c->superx = ap_place(l, 32 * (n / 1024 + p + 1)), c->supery = ap_place(l, 32 * (m / 1024 + p + 1));
}

// sort puts one cloud of pair p into Morton order. Keys lie where dir will be, the
// cloud as given where the gradient will be.
static ap_status sort(ap_ctx *c, int p, int dir) {
  const ap_pair *q = c->pair + p;
  int32_t n = dir ? q->m : q->n, b = (int32_t)blocks(n, SORT_BLOCK);
  int64_t first = dir ? q->y0 : q->x0;
  ap_args *A = &c->A;
  char *keys = (char *)((dir ? A->diry : A->dirx) + 4 * first), *raw = (char *)(dir ? A->gy : A->gx);
  int64_t total = dir ? A->totaly : A->totalx;
  ap_key k = {.p = (const float *)raw + 3 * first, .key = (uint64_t *)keys, .n = n, .first = (int32_t)first};
  k.val = (int32_t *)(keys + 16 * (size_t)n);
  k.sorted4 = (dir ? c->sortedy : c->sortedx) + 4 * first, k.sorted = (float *)(dir ? A->y : A->x) + 3 * first;
  const double *w = dir ? A->wy : A->wx;
  const int32_t *m = dir ? A->my : A->mx;
  if (m) k.mult = (const int32_t *)(raw + 12 * (size_t)total) + first, k.multout = (int32_t *)m + first;
  if (w) k.w = (const double *)(raw + 16 * (size_t)total) + first, k.wout = (double *)w + first;
  k.perm = (int32_t *)(dir ? A->permy : A->permx) + first;
  memcpy(k.lo, c->grid[p].lo, sizeof k.lo), k.scale = c->grid[p].scale;
  TRY(ap_launch(c, K_ap_morton, blocks(n, THREADS), 1, THREADS, &k, n));
  ap_sort s = {.keyin = k.key, .valin = k.val, .n = n, .blocks = b};
  s.keyout = (uint64_t *)(keys + 8 * (size_t)n), s.valout = k.val + n;
  s.hist = (int32_t *)(dir ? A->rowy : A->rowx); // 64 bytes for 2,048 points; there are 32 a point, and at least 256
  for (s.shift = 0; s.shift < 64; s.shift += 4) { // 16 passes: the keys end where they began
    TRY(ap_launch(c, K_ap_sort_hist, b, 1, THREADS, &s, n));
    TRY(ap_launch(c, K_ap_sort_scan, 1, 1, SCAN_THREADS, &s, n));
    TRY(ap_launch(c, K_ap_sort_scatter, b, 1, THREADS, &s, n));
    const uint64_t *key = s.keyin;
    const int32_t *val = s.valin;
    s.keyin = s.keyout, s.valin = s.valout;
    s.keyout = (uint64_t *)(uintptr_t)key, s.valout = (int32_t *)(uintptr_t)val;
  }
  return ap_launch(c, K_ap_gather, blocks(n, THREADS), 1, THREADS, &k, n);
}

static int64_t box_at(const ap_pair *q, int p, int dir, int points) { return (dir ? q->y0 : q->x0) / points + p; }

// box makes the boxes of one cloud, with the radii of its points if they are known.
static ap_status box(ap_ctx *c, int p, int dir, int radii) {
  const ap_pair *q = c->pair + p;
  int64_t first = dir ? q->y0 : q->x0;
  int32_t n = dir ? q->m : q->n, tiles = (int32_t)blocks(n, 32);
  ap_boxes b = {.from = (dir ? c->sortedy : c->sortedx) + 4 * first, .n = n};
  if (radii) b.par = (dir ? c->A.pary : c->A.parx) + 4 * first;
  b.out = (dir ? c->boxy : c->boxx) + 8 * box_at(q, p, dir, 32);
  ap_boxes s = {.from = b.out, .n = tiles, .boxes = 1};
  s.out = (dir ? c->supery : c->superx) + 8 * box_at(q, p, dir, 1024);
  TRY(ap_launch(c, K_ap_box, blocks(tiles, THREADS / 32), 1, THREADS, &b, n));
  return ap_launch(c, K_ap_box, blocks(blocks(tiles, 32), THREADS / 32), 1, THREADS, &s, tiles);
}

// walk runs one walk of the points of one side of every pair.
static ap_status walk(ap_ctx *c, int k, int dir) {
  for (int p = 0; p < c->job.pairs; p++) {
    const ap_pair *q = c->pair + p;
    ap_args *A = &c->A;
    int64_t s0 = dir ? q->y0 : q->x0, o0 = dir ? q->x0 : q->y0;
    ap_walk w = {.n = dir ? q->m : q->n, .m = dir ? q->n : q->m, .cap = A->cap};
    w.first = (int32_t)s0, w.other = (int32_t)o0;
    w.xs = (dir ? c->sortedy : c->sortedx) + 4 * s0, w.ys = (dir ? c->sortedx : c->sortedy) + 4 * o0;
    w.xb = (dir ? c->boxy : c->boxx) + 8 * box_at(q, p, dir, 32);
    w.yb = (dir ? c->boxx : c->boxy) + 8 * box_at(q, p, !dir, 32);
    w.ysb = (dir ? c->superx : c->supery) + 8 * box_at(q, p, !dir, 1024);
    w.parx = (dir ? A->pary : A->parx) + 4 * s0, w.pary = (dir ? A->parx : A->pary) + 4 * o0;
    w.cnt = dir ? A->cnty : A->cntx, w.idx = dir ? A->idxy : A->idxx;
    int64_t all = blocks(w.n, WALK_POINTS), each = (int64_t)WALK_POINTS * w.m, step = larger(ap_most(c) / each, 1);
    for (int64_t at = 0; at < all; at += step) {
      int64_t n = all - at < step ? all - at : step;
      w.block0 = (int32_t)at;
      TRY(ap_launch(c, k, n, 1, WALK_THREADS, &w, n * each));
    }
  }
  return AP_OK;
}
static ap_status walks(ap_ctx *c, int k) {
  TRY(walk(c, k, 0));
  return walk(c, k, 1);
}
static ap_status all_boxes(ap_ctx *c, int radii) {
  for (int p = 0; p < c->job.pairs; p++) {
    TRY(box(c, p, 0, radii));
    TRY(box(c, p, 1, radii));
  }
  return AP_OK;
}

// sums adds up rowx and rowy by pair: out is [pairs,2,AP_SUMS].
static ap_status sums(ap_ctx *c, double *out) {
  TRY(both(c, K_ap_reduce, AP_TILE, AP_TILE));
  TRY(ap_launch(c, K_ap_total, c->job.pairs, 2, THREADS, &c->A, most_tiles(c)));
  return ap_copy_out(c, out, c->A.sum, 16 * AP_SUMS * (size_t)c->job.pairs);
}

static int64_t widest(const ap_ctx *c) { // points of the largest cloud
  int64_t n = 1;
  for (int p = 0; p < c->job.pairs; p++) n = larger(n, larger(c->pair[p].n, c->pair[p].m));
  return n;
}

static ap_status near2(ap_ctx *c) {
  if (!c->job.tree) return both(c, K_ap_near2, THREADS, AP_TILE * widest(c));
  for (int p = 0; p < c->job.pairs; p++) {
    TRY(sort(c, p, 0));
    TRY(sort(c, p, 1));
  }
  TRY(all_boxes(c, 0));
  return walks(c, K_ap_tree_near2);
}

// keep copies what the later steps need of the job on the host.
static ap_status keep(ap_ctx *c, const ap_job *job, const ap_pair *pair, const ap_grid *grid) {
  free(c->pair), free(c->grid);
  c->pair = malloc(sizeof *pair * (size_t)job->pairs), c->grid = malloc(sizeof *grid * (size_t)job->pairs);
  c->job.pairs = 0;
  if (!c->pair || !c->grid) return ap_fail(c, AP_FAILED, "no memory of the host for %d pairs", job->pairs);
  memcpy(c->pair, pair, sizeof *pair * (size_t)job->pairs), memcpy(c->grid, grid, sizeof *grid * (size_t)job->pairs);
  c->job = *job, c->limit = job->limit, c->rounds = 0;
  ap_args *A = &c->A;
  memset(A, 0, sizeof *A);
  A->margin = job->margin, A->floor = job->floor, A->share = job->share, A->reference = job->reference;
  A->uniform = job->uniform, A->count = job->count, A->pairs = job->pairs;
  A->tilesx = job->tilesx, A->tilesy = job->tilesy, A->totalx = job->totalx, A->totaly = job->totaly;
  return AP_OK;
}

// cloud copies one side in: for a tree to where the sort takes it from.
static ap_status cloud(ap_ctx *c, int dir, const float *x, const double *w, const int32_t *m) {
  ap_args *A = &c->A;
  size_t n = (size_t)(dir ? A->totaly : A->totalx);
  char *raw = (char *)(dir ? A->gy : A->gx);
  int tree = c->job.tree;
  TRY(ap_copy_in(c, tree ? raw : (const char *)(dir ? A->y : A->x), x, 12 * n));
  if (m) TRY(ap_copy_in(c, tree ? raw + 12 * n : (const char *)(dir ? A->my : A->mx), m, 4 * n));
  if (w) TRY(ap_copy_in(c, tree ? raw + 16 * n : (const char *)(dir ? A->wy : A->wx), w, 8 * n));
  return AP_OK;
}

ap_status ap_apml_open(ap_ctx *c, const ap_job *job, const ap_pair *pair, const ap_grid *grid, const ap_tile *tilex,
                       const ap_tile *tiley, const float *x, const float *y, const double *wx, const double *wy,
                       const int32_t *mx, const int32_t *my, double *spread) {
  ap_status s = ap_enter(c);
  if (s == AP_OK) s = keep(c, job, pair, grid);
  if (s != AP_OK) return ap_leave(c, s);
  ap_layout size = {0, 0};
  place(c, &size, pair, wx != 0, mx != 0);
  s = ap_reserve(c, &c->points, size.end);
  ap_layout real = {c->points.at, 0};
  place(c, &real, pair, wx != 0, mx != 0);
#define STEP(expression) \
  if (s == AP_OK) s = (expression)
  STEP(ap_copy_in(c, c->A.pair, pair, sizeof *pair * (size_t)job->pairs));
  STEP(ap_copy_in(c, c->A.tilex, tilex, sizeof *tilex * (size_t)job->tilesx));
  STEP(ap_copy_in(c, c->A.tiley, tiley, sizeof *tiley * (size_t)job->tilesy));
  STEP(cloud(c, 0, x, wx, mx));
  STEP(cloud(c, 1, y, wy, my));
  STEP(near2(c));
  STEP(both(c, K_ap_spread, AP_TILE, AP_TILE));
  STEP(sums(c, spread));
  if (s != AP_OK) c->job.pairs = 0;
  return ap_leave(c, s);
}

static ap_status lists(ap_ctx *c, int64_t total) {
  ap_args *A = &c->A;
  size_t value = A->wide ? 8 : 4;
  ap_layout size = {0, 0};
  for (int k = 0; k < 2; k++) ap_place(&size, 4 * (size_t)total), ap_place(&size, value * (size_t)total);
  TRY(ap_reserve(c, &c->entries, size.end ? size.end : 256));
  ap_layout l = {c->entries.at, 0};
  A->idxx = ap_place(&l, 4 * (size_t)total), A->idxy = ap_place(&l, 4 * (size_t)total);
  A->kx = ap_place(&l, value * (size_t)total), A->ky = ap_place(&l, value * (size_t)total);
  A->cap = (int32_t)total;
  TRY(ap_launch(c, K_ap_scan_add, A->scanblocks, 2, SCAN_THREADS, A, SCAN_BLOCK));
  return c->job.tree ? walks(c, K_ap_tree_write) : both(c, K_ap_mask_write, AP_TILE, AP_TILE * widest(c) / 32);
}

// candidates counts them; total is their number, the same in both orders.
static ap_status candidates(ap_ctx *c, int64_t *total) {
  ap_args *A = &c->A;
  int64_t t[2];
  TRY(both(c, K_ap_radius, AP_TILE, AP_TILE));
  if (c->job.tree) {
    TRY(all_boxes(c, 1));
    TRY(walks(c, K_ap_tree_count));
  } else {
    TRY(launch(c, K_ap_mask, THREADS, A->tilesx, 1, AP_TILE * widest(c)));
    TRY(both(c, K_ap_mask_count, AP_TILE, AP_TILE * widest(c) / 32));
  }
  TRY(ap_launch(c, K_ap_scan_sums, A->scanblocks, 2, SCAN_THREADS, A, SCAN_BLOCK));
  TRY(ap_launch(c, K_ap_scan_top, 2, 1, SCAN_THREADS, A, SCAN_BLOCK));
  TRY(ap_copy_out(c, t, A->scan + 2 * (size_t)A->scanblocks, sizeof t));
  if (t[0] != t[1])
    return ap_fail(c, AP_FAILED, "GPU: %lld candidates by row, %lld by column", (long long)t[0], (long long)t[1]);
  *total = t[0];
  return AP_OK;
}

static ap_status support(ap_ctx *c, int64_t most, double *ties, double *nnz, int64_t *entries, int *refuse, int *tied) {
  ap_args *A = &c->A;
  int64_t total = 0;
  int32_t flags[AP_FLAGS] = {0};
  TRY(candidates(c, &total));
  *entries = total, *refuse = total > most || total > INT32_MAX;
  if (*refuse) return AP_OK;
  TRY(lists(c, total));
  TRY(ap_clear(c, A->flags, 0, sizeof flags));
  TRY(ap_clear(c, A->base, 0, 8 * (size_t)c->job.pairs));
  int64_t each = larger(total / larger(most_tiles(c), 1), AP_TILE);
  TRY(both(c, K_ap_exact, THREADS, 2 * each));
  TRY(sums(c, ties));
  TRY(ap_copy_out(c, flags, A->flags, sizeof flags));
  A->ties = *tied = flags[AP_FLAG_TIES];
  TRY(both(c, K_ap_value, THREADS, each));
  c->rounds = 0;
  return sums(c, nnz);
}

#define BEGIN                                                                                 \
  ap_status s = ap_enter(c);                                                                  \
  if (s == AP_OK && !c->job.pairs) s = ap_fail(c, AP_FAILED, "GPU: no clouds are open");      \
  if (s != AP_OK) return ap_leave(c, s)

ap_status ap_apml_support(ap_ctx *c, const ap_pair *pair, int wide, int64_t most, double *ties, double *nnz,
                          int64_t *entries, int *refuse, int *tied) {
  BEGIN;
  memcpy(c->pair, pair, sizeof *pair * (size_t)c->job.pairs);
  c->A.wide = wide;
  STEP(ap_copy_in(c, c->A.pair, pair, sizeof *pair * (size_t)c->job.pairs));
  STEP(support(c, most, ties, nnz, entries, refuse, tied));
  return ap_leave(c, s);
}

static ap_status one_round(ap_ctx *c, int64_t each) {
  ap_args *A = &c->A;
  if (c->rounds && c->rounds % ABSORB == 0 && !A->ties) {
    TRY(both(c, K_ap_absorb, THREADS, each));
    TRY(ap_clear(c, A->base, 0x80, 8 * (size_t)c->job.pairs)); // a very small number
    TRY(both(c, K_ap_put, AP_TILE, AP_TILE));
  }
  if (A->ties) TRY(ap_launch(c, K_ap_tiesum, A->pairs, 2, THREADS, A, widest(c)));
  TRY(launch(c, K_ap_sink_row, THREADS, A->tilesx, 1, each));
  if (A->ties) TRY(ap_launch(c, K_ap_tiesum, A->pairs, 2, THREADS, A, widest(c)));
  TRY(launch(c, K_ap_sink_col, THREADS, A->tilesy, 1, each));
  c->rounds++;
  return AP_OK;
}

ap_status ap_apml_rounds(ap_ctx *c, int rounds, double *error) {
  BEGIN;
  int64_t each = larger(c->A.cap / larger(most_tiles(c), 1), AP_TILE);
  for (int k = 0; k < rounds && s == AP_OK; k++) s = one_round(c, each);
  if (error) {
    if (c->A.ties) STEP(ap_launch(c, K_ap_tiesum, c->A.pairs, 2, THREADS, &c->A, widest(c)));
    STEP(launch(c, K_ap_error, THREADS, c->A.tilesx, 1, each));
    STEP(sums(c, error));
  }
  STEP(ap_wait(c));
  return ap_leave(c, s);
}

ap_status ap_apml_bound(ap_ctx *c, double *out, int32_t *base) {
  BEGIN;
  STEP(both(c, K_ap_bound, AP_TILE, AP_TILE));
  STEP(sums(c, out));
  STEP(ap_copy_out(c, base, c->A.base, 8 * (size_t)c->job.pairs));
  return ap_leave(c, s);
}

ap_status ap_apml_finish(ap_ctx *c, double *out, double *gx, double *gy) {
  BEGIN;
  int64_t each = larger(c->A.cap / larger(most_tiles(c), 1), AP_TILE);
  if (c->A.ties) each += AP_TILE * widest(c);
  STEP(both(c, K_ap_grad, THREADS, each));
  STEP(sums(c, out));
  if (gx) STEP(ap_copy_out(c, gx, c->A.gx, 24 * (size_t)c->A.totalx));
  if (gy) STEP(ap_copy_out(c, gy, c->A.gy, 24 * (size_t)c->A.totaly));
  return ap_leave(c, s);
}

int64_t ap_apml_held(const ap_ctx *c) { return (int64_t)(c->points.size + c->entries.size); }
