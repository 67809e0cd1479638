//go:build cgo && linux

// shim_soft.c: passes of entropic transport as launches.
#include "ctx.h"

#define FILL 264   // blocks that keep a large device busy
#define FEWEST 1024 // columns of a split
#define STEP(expression) \
  if (s == AP_OK) s = (expression)

static void place(ap_soft *A, ap_layout *l, int pull) {
  size_t n = (size_t)A->n, m = (size_t)A->m, width = pull ? AP_PULL : 1, part = pull ? AP_PULL : 2;
  A->x = ap_place(l, 12 * n), A->y = ap_place(l, 12 * m);
  A->h = ap_place(l, 8 * m), A->f = pull ? ap_place(l, 8 * n) : 0;
  A->part = ap_place(l, 8 * part * n * (size_t)A->splits), A->out = ap_place(l, 8 * width * n);
}

// split cuts the columns, by the sizes alone, where rows do not fill a device.
static void split(ap_soft *A) {
  int32_t tiles = (A->n + AP_TILE - 1) / AP_TILE, want = (FILL + tiles - 1) / tiles, most = (A->m + FEWEST - 1) / FEWEST;
  if (want > most) want = most;
  A->per = ((A->m + want - 1) / want + AP_TILE - 1) / AP_TILE * AP_TILE;
  A->splits = (A->m + A->per - 1) / A->per;
}

static ap_status launch(ap_ctx *c, int k, ap_soft *A, int z, int64_t each) {
  int64_t all = ((int64_t)A->n + AP_TILE - 1) / AP_TILE, step = ap_most(c) / each;
  if (step < 1) step = 1;
  for (int64_t at = 0; at < all; at += step) {
    int64_t n = all - at < step ? all - at : step;
    A->tile0 = (int32_t)at;
    TRY(ap_launch(c, k, n, z, AP_TILE, A, n * each));
  }
  return AP_OK;
}

ap_status ap_soft_rows(ap_ctx *c, const ap_softjob *job, const float *x, const float *y, const double *h,
                       const double *f, double *out) {
  ap_status s = ap_enter(c);
  if (s != AP_OK) return ap_leave(c, s);
  ap_soft A = {.scale = job->scale, .n = job->n, .m = job->m, .plain = job->plain, .wide = job->wide};
  int pull = f != 0;
  ap_layout size = {0, 0};
  c->job.pairs = 0, c->limit = job->limit; // the room is another job's now
  split(&A);
  place(&A, &size, pull);
  s = ap_reserve(c, &c->points, size.end);
  ap_layout l = {c->points.at, 0};
  place(&A, &l, pull);
  STEP(ap_copy_in(c, A.x, x, 12 * (size_t)A.n));
  STEP(ap_copy_in(c, A.y, y, 12 * (size_t)A.m));
  STEP(ap_copy_in(c, A.h, h, 8 * (size_t)A.m));
  if (pull) STEP(ap_copy_in(c, A.f, f, 8 * (size_t)A.n));
  STEP(launch(c, pull ? K_ap_soft_pull : K_ap_soft_sum, &A, A.splits, (int64_t)AP_TILE * A.m));
  STEP(launch(c, pull ? K_ap_soft_add : K_ap_soft_merge, &A, 1, (int64_t)AP_TILE * A.splits));
  STEP(ap_copy_out(c, out, A.out, (pull ? 8 * AP_PULL : 8) * (size_t)A.n));
  return ap_leave(c, s);
}
