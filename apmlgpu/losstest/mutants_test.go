package losstest

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var mutants = flag.Bool("mutants", false, "run the suite once for each mutant of the losses and want it to fail: minutes")

// mutant is a fault put into a file of the losses, which the suite must catch.
type mutant struct {
	name     string
	file     string // below apmlgpu
	old, new string // old is there exactly once
	run      string // the part of the suite that is run, as a pattern of -run below TestCPU
}

// apmlMutants are faults of APML, its plan and batches.
var apmlMutants = []mutant{
	{"support too small by a percent", "internal/cpu/support.go", "x.d1[i], x.reach(i)", "x.d1[i], 0.99*x.reach(i)", "support"},
	{"ball of the tree too small", "internal/cpu/support.go", "return r * r", "return 0.97 * r * r", "support"},
	{"multiplicity of the nearest forgotten", "internal/cpu/near2.go", "o.mult[first] > 1 {", "o.mult[first] > 1<<30 {", "oracle"},
	{"different points counted for K", "internal/cpu/near2.go", "float64(o.total-1) /", "float64(max(o.n, 2)-1) /", "oracle"},
	{"margin of the other variant", "internal/cpu/near2.go", "h.gap[i] = gap + r.margin", "h.gap[i] = max(gap, r.margin)", "oracle"},
	{"margin of this variant in the other", "internal/cpu/near2.go", "h.gap[i] = max(gap, r.margin)", "h.gap[i] = gap + r.margin", "oracle"},
	{"similarities not weighed by multiplicity", "internal/cpu/merge.go", "e * float64(mult[idx[k]])", "e * float64(mult[idx[k]]/mult[idx[k]])", "oracle"},
	{"pairs of both sides counted twice", "internal/cpu/join.go", "v /= 2", "v /= 1", "oracle"},
	{"uniform rows of the merge by count", "internal/cpu/join.go", "v = (v - tied) / 2", "v /= 2", "oracle"},
	{"sums without the 1e-8", "internal/cpu/scale.go", "v /= line + tiny", "v /= line", "oracle"},
	{"one round too few", "internal/cpu/scale.go", "last := b.done == most", "last := b.done == max(most-1, 1)", "oracle"},
	{"row error against one", "internal/cpu/scale.go", "b.u[i]*v-per*b.x.weight(i)", "b.u[i]*v-(per-per+1)*b.x.weight(i)", "edge"},
	{"rows of the tied terms alone", "internal/cpu/ties.go", "return (a + b) / 2", "return a + b", "oracle|apml"},
	{"tied rows over different points", "internal/cpu/near2.go", "/ float64(h.o.total)", "/ float64(h.o.n)", "oracle"},
	{"weights not scaled to N", "internal/backend/support.go", "float64(total) * (w[i]", "float64(len(rep)) * (w[i]", "oracle"},
	{"points of weight zero kept", "internal/cpu/side.go", "if w > 0 {\n\t\t\t\t\tkeep", "if w >= 0 {\n\t\t\t\t\tkeep", "property|oracle"},
	{"gradient turned round", "internal/cpu/value.go", "v := u * l.force[c]", "v := -u * l.force[c]", "gradient|oracle"},
	{"no least distance in the gradient", "internal/cpu/value.go", "if d < floor {", "if d < 0*floor {", "edge"},
	{"bound ignored", "internal/cpu/apml.go", "if !a.q.Automatic || worst <= boundMost {\n\t\t\treturn", "if true {\n\t\t\treturn", "oracle|edge|apml"},
	{"bounds a millionth", "internal/cpu/apml.go", "a.prune(b, logInverse)", "a.prune(b, logInverse+14)", "apml"},
	{"bound of the value left out", "internal/cpu/bound.go", "cost: expSum(", "cost: 0 * expSum(", "apml"},
	{"scalings left to drift", "internal/cpu/drift.go", "if d.width() < wideTogether {", "if true {", "many_rounds"},
	{"scalings lost on their way into the plan", "internal/cpu/drift.go", "int(a[i])+int(e))", "int(e))", "many_rounds"},
	{"copies without their gradient", "internal/cpu/value.go", "g.a.copies(l.i, func(original int) {", "func(f func(int)) { f(int(g.a.rep[l.i])) }(func(original int) {", "oracle"},
	{"sums by threads", "internal/cpu/dense.go", "size := fewRows(o.s.n)", "size := 1 + fewRows(o.s.n)/p.crew.threads", "threads"},
	{"exponential off by 1e-7", "internal/cpu/join.go", "q, y := m.x.q[i]", "q, y := 1.0000001*m.x.q[i]", "oracle"},
	{"divided by N per point", "apml.go", "res.divide(float64(out.M))", "res.divide(float64(out.N))", "edge"},
	{"batch not divided", "batch.go", "one.divide(share)", "one.divide(1)", "batch"},
	{"sum for a mean", "batch.go", "r.Value /= share", "r.Value /= 1", "batch"},
	{"memory of an item by its neighbours", "batch.go", "opt.item(b, threads, c.maxBytes)", "opt.item(b, threads, c.maxBytes/64)", "batch"},
	{"the last bad item named", "batch.go", "t.bad = min(t.bad, b)", "t.bad = max(b, 2)", "batch"},
	{"NaN not looked for in a batch", "batch.go", "if err := check(op, xs.At(b), ys.At(b)); err != nil {", "if err := check(op, xs.At(0), ys.At(0)); err != nil {", "batch"},
	{"infinite coordinates let through", "errors.go", "if v-v != 0 {", "if v != v {", "hostile"},
	{"masses not compared", "errors.go", "sameMass*max(a, b)) {", "1e300*max(a, b)) {", "hostile"},
	{"entries of the plan without scalings", "internal/cpu/plan.go", "f(j, v*h.u[i]*h.v[j])", "f(j, v)", "apml"},
	{"plan by different points", "plan.go", "for _, r := range rows {\n\t\t\tout[r] = sum", "for _, r := range rows[:1] {\n\t\t\tout[r] = sum", "apml"},
	{"tied terms left out of the plan", "plan.go", "sum += p.p.U[i] * sums.times(", "sum += 0 * p.p.U[i] * sums.times(", "apml"},
}

// Every mutant must make its part of the suite fail.
func TestMutants(t *testing.T) {
	if !*mutants {
		t.Skip("takes minutes: run by -mutants, or make mutants")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Concat(apmlMutants, chamferMutants, sinkhornMutants, emdMutants) {
		t.Run(m.name, func(t *testing.T) { caught(t, root, m) })
	}
}

// caught runs the suite over the mutant, which lies over the real file without
// touching it.
func caught(t *testing.T, root string, m mutant) {
	file := filepath.Join(root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		t.Fatalf("%s has %d times %q: the mutant must follow the code", m.file, n, m.old)
	}
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	layers, err := json.Marshal(map[string]map[string]string{"Replace": {file: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{mutated: strings.Replace(string(text), m.old, m.new, 1), overlay: string(layers)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("go", "test", "-p", "1", "-overlay", overlay, "-count", "1", "-failfast", "-vet", "off",
		"-run", "^TestCPU$/^("+m.run+")$", ".").CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("the suite does not see it: %s in %s", m.new, m.file)
	case !strings.Contains(string(out), "--- FAIL: TestCPU"):
		t.Errorf("the mutant does not run:\n%s", out)
	}
}
