//go:build cgo && linux

// shim_near.c: nearest neighbours of one pair, and the plan of APML copied out.
#include "ctx.h"

#define THREADS 256
#define STEP(expression) \
  if (s == AP_OK) s = (expression)

static void place(ap_near *A, ap_layout *l, size_t n, size_t m, size_t tilesx, size_t tilesy) {
  A->x = ap_place(l, 12 * n), A->y = ap_place(l, 12 * m);
  A->pair = ap_place(l, sizeof(ap_pair));
  A->tilex = ap_place(l, sizeof(ap_tile) * tilesx), A->tiley = ap_place(l, sizeof(ap_tile) * tilesy);
  A->parx = ap_place(l, 8 * n), A->pary = ap_place(l, 8 * m);
  A->squarex = ap_place(l, 8 * n), A->squarey = ap_place(l, 8 * m);
  A->idx = ap_place(l, 4 * n), A->idy = ap_place(l, 4 * m);
  A->tilesx = (int32_t)tilesx, A->tilesy = (int32_t)tilesy;
}

// tiles writes the tiles of a cloud of n points.
static ap_status tiles(ap_ctx *c, const ap_tile *device, int32_t count) {
  ap_tile some[512];
  for (int32_t at = 0; at < count; at += 512) {
    int32_t n = count - at < 512 ? count - at : 512;
    for (int32_t k = 0; k < n; k++) some[k] = (ap_tile){0, (at + k) * AP_TILE};
    TRY(ap_copy_in(c, device + at, some, sizeof *some * (size_t)n));
  }
  return AP_OK;
}

static ap_status launch(ap_ctx *c, int k, ap_near *A, int64_t each) {
  int32_t all = A->tilesx > A->tilesy ? A->tilesx : A->tilesy;
  int64_t step = ap_most(c) / (2 * each);
  if (step < 1) step = 1;
  for (int64_t at = 0; at < all; at += step) {
    int64_t n = all - at < step ? all - at : step;
    A->tile0 = (int32_t)at;
    TRY(ap_launch(c, k, n, 2, THREADS, A, 2 * n * each));
  }
  return AP_OK;
}

ap_status ap_nearest(ap_ctx *c, int32_t n, int32_t m, const float *x, const float *y, int64_t limit, int32_t *idx,
                     int32_t *idy, double *squarex, double *squarey) {
  ap_status s = ap_enter(c);
  if (s != AP_OK) return ap_leave(c, s);
  ap_near A = {0};
  ap_layout size = {0, 0};
  size_t tx = ((size_t)n + AP_TILE - 1) / AP_TILE, ty = ((size_t)m + AP_TILE - 1) / AP_TILE;
  c->job.pairs = 0, c->limit = limit; // the room is another job's now
  place(&A, &size, (size_t)n, (size_t)m, tx, ty);
  s = ap_reserve(c, &c->points, size.end);
  ap_layout l = {c->points.at, 0};
  place(&A, &l, (size_t)n, (size_t)m, tx, ty);
  ap_pair p = {.unit = 1, .n = n, .m = m, .totaln = n, .totalm = m};
  STEP(ap_copy_in(c, A.pair, &p, sizeof p));
  STEP(tiles(c, A.tilex, A.tilesx));
  STEP(tiles(c, A.tiley, A.tilesy));
  STEP(ap_copy_in(c, A.x, x, 12 * (size_t)n));
  STEP(ap_copy_in(c, A.y, y, 12 * (size_t)m));
  int64_t each = (int64_t)AP_TILE * (n > m ? n : m);
  STEP(launch(c, K_ap_near1, &A, each));
  STEP(launch(c, K_ap_near1_exact, &A, each));
  STEP(ap_copy_out(c, idx, A.idx, 4 * (size_t)n));
  STEP(ap_copy_out(c, idy, A.idy, 4 * (size_t)m));
  STEP(ap_copy_out(c, squarex, A.squarex, 8 * (size_t)n));
  STEP(ap_copy_out(c, squarey, A.squarey, 8 * (size_t)m));
  return ap_leave(c, s);
}

ap_status ap_apml_plan(ap_ctx *c, int32_t *permx, int32_t *permy, int32_t *offsets, int32_t *idx, void *k, double *u,
                       double *v, double *dirx, double *diry) {
  ap_status s = ap_enter(c);
  if (s == AP_OK && !c->job.pairs) s = ap_fail(c, AP_FAILED, "GPU: no clouds are open");
  const ap_args *A = &c->A;
  size_t n = (size_t)A->totalx, m = (size_t)A->totaly, e = (size_t)A->cap;
  if (A->permx) STEP(ap_copy_out(c, permx, A->permx, 4 * n));
  if (A->permy) STEP(ap_copy_out(c, permy, A->permy, 4 * m));
  STEP(ap_copy_out(c, offsets, A->cntx, 4 * (n + 1)));
  STEP(ap_copy_out(c, idx, A->idxx, 4 * e));
  STEP(ap_copy_out(c, k, A->kx, (A->wide ? 8 : 4) * e));
  STEP(ap_copy_out(c, u, A->u, 8 * n));
  STEP(ap_copy_out(c, v, A->v, 8 * m));
  STEP(ap_copy_out(c, dirx, A->dirx, 32 * n));
  STEP(ap_copy_out(c, diry, A->diry, 32 * m));
  return ap_leave(c, s);
}
