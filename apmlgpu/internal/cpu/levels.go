package cpu

import (
	"math"
)

// assignBytes is the memory of an auction a row: both trees, lists and their
// bounds, the state of the searches, coordinates turned, and a level before.
const assignBytes = 2*priceTreeBytes + 16*listLength + 24 + 8 + 8 + 4 + 4 + 4 + 48 + 28 + 24*listLength/8

// assign solves a problem of equally many rows and targets of one unit each:
// centroids of ever more cells of both clouds, each level beginning with the prices of
// the one before, then the points, and paths to the end.
func (t *transport) assign() error {
	n := t.x.n
	x, y := turned(t.x.spots(), t.y.spots(), t.q.Squared)
	rows, cols := newPriceTree(x, t.q.Squared, some(y), t.crew.halt), newPriceTree(y, t.q.Squared, some(x), t.crew.halt)
	lookX, lookY := some(x), some(y)
	near := t.warm == nil && nearCopies(rows, cols)
	if t.onlyNear && !near {
		return errDear
	}
	depth := 0
	for n>>(depth+1) >= 2 && !near {
		depth++
	}
	var before []spot // rows of the level before, and their u
	var prices []float64
	for d := 6; d <= depth && 3<<d < 2*n && t.warm == nil; d += 2 {
		cx, cy := centroids(rows.at, d), centroids(cols.at, d)
		tree := newPriceTree(cy, t.q.Squared, lookX, t.crew.halt)
		extend(tree, rows.at, before, prices, lookY)
		a := newAuction(t, cx, tree)
		a.coarse = before != nil
		start := float64(startShare)
		if before == nil {
			start = 50
		}
		if err := a.level(start, coarseShare); err != nil || t.late {
			return err
		}
		a.tight(0)
		before, prices = cx, a.u
	}
	start := float64(startShare)
	switch {
	case near: // no prices, and no more than the last scale
		start = fineShare
	case t.warm != nil:
		t.warmly(cols)
		start = warmShare
	default:
		extend(cols, rows.at, before, prices, lookY)
	}
	a := newAuction(t, rows.at, cols)
	if err := a.level(start, fineShare); err != nil || t.late {
		return err
	}
	if err := a.finish(); err != nil || t.late {
		return err
	}
	if err := t.crew.err(); err != nil {
		return err
	}
	t.flow = t.flow[:0]
	for i, j := range a.to {
		t.flow = append(t.flow, arc{rows.id[i], cols.id[j], t.x.mass[rows.id[i]]})
	}
	for j, id := range cols.id {
		t.v[id] = cols.v[j]
	}
	a.aimAll()
	t.priced = cols
	t.turned = x
	return nil
}

// Rows that are looked at, and the share of them that must be the nearest of their
// nearest target, for clouds to be near copies.
const (
	nearLooks = 64
	nearShare = 0.9
)

// nearCopies says that most rows have a target of their own nearby: of points thrown
// independently about half are the nearest of their nearest.
func nearCopies(rows, cols *priceTree) bool {
	mutual, looks := 0, min(nearLooks, len(rows.at))
	for k := range looks {
		i := k * len(rows.at) / looks
		j := cols.best(&rows.at[i], 1, math.Inf(1))[0].j
		if rows.best(&cols.at[j], 1, math.Inf(1))[0].j == int32(i) {
			mutual++
		}
	}
	return float64(mutual) >= nearShare*float64(looks)
}

// warmly gives the targets the prices of an earlier result.
func (t *transport) warmly(tree *priceTree) {
	for k, j := range tree.id {
		tree.v[k] = t.warm[j]
	}
	tree.refresh()
}

// extend gives the targets of a tree the prices that the rows of the level before
// leave them: v_j = min C_ij − u_i; before the first level, what the means' distance
// says.
func extend(tree *priceTree, x, before []spot, u []float64, look []spot) {
	if before == nil {
		mx, my := meanOf(x), meanOf(tree.at)
		g := tree.slopeOf(&mx, &my)
		for j := range tree.v {
			y := &tree.at[j]
			tree.aim(int32(j), &mx)
			if tree.squared {
				tree.v[j] = gap2(&mx, y)
			} else {
				tree.v[j] = g[0]*(y[0]-my[0]) + g[1]*(y[1]-my[1]) + g[2]*(y[2]-my[2])
			}
		}
		tree.refresh()
		return
	}
	back := newPriceTree(before, tree.squared, look, tree.halt)
	for k, i := range back.id {
		back.v[k] = u[i]
	}
	back.refresh()
	for j := range tree.v {
		if j%haltQueries == 0 && tree.halt() {
			return
		}
		f := back.best(&tree.at[j], 1, math.Inf(1))
		tree.v[j] = f[0].r
		tree.aim(int32(j), &back.at[f[0].j])
	}
	tree.refresh()
}

// centroids are the means of the cells at depth d of points in tree order.
func centroids(p []spot, d int) (all []spot) {
	if d == 0 {
		return []spot{meanOf(p)}
	}
	m := len(p) / 2
	return append(centroids(p[:m], d-1), centroids(p[m:], d-1)...)
}

func meanOf(p []spot) (m spot) {
	for _, q := range p {
		for e, v := range q {
			m[e] += v / float64(len(p))
		}
	}
	return m
}

// spots are the points with three coordinates.
func (h *heap) spots() []spot {
	all := make([]spot, h.n)
	for k := range all {
		copy(all[k][:], h.at[3*k:3*k+3])
	}
	return all
}
