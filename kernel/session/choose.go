package session

import (
	"fmt"
	"go/ast"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
	"github.com/gondola-lab/gondola/kernel/native"
)

// Policy says where cells may run.
type Policy string

// The policies of %engine and of the flag --engine.
const (
	Auto      Policy = "auto"      // interpreted where that is proven right, else compiled
	Interpret Policy = "interpret" // what is not interpreted is refused by name
	Native    Policy = "native"    // every cell compiled
)

// ParsePolicy reads the name of a policy.
func ParsePolicy(name string) (Policy, error) {
	switch p := Policy(name); p {
	case Auto, Interpret, Native:
		return p, nil
	}
	return "", fmt.Errorf("%q is not one of auto, interpret, native", name)
}

// chosen is where a plan runs, and why.
type chosen struct {
	prog     *lower.Program // of what is interpreted
	native   bool
	why      string          // of native: the construct, or the wish
	at       front.Diag      // where the construct stands; Line 0 when it was a wish
	refusals []lower.Refusal // where the policy forbids native code
}

// choose lowers a plan to what the interpreter runs right, or decides that it
// must be compiled: as soon as a construct of it, or a type, is not in the
// proven subset. With the policy interpret that is an error with every
// construct and its place.
func (r *run) choose(p *plan) (chosen, *engine.CellError) {
	defer r.clock(&r.times.lower)()
	if r.wants(p) {
		why := "the policy is native"
		if r.forced != "" {
			why = r.forced + " asked for it"
		}
		return chosen{native: true, why: why}, nil
	}
	if r.cell.Program && r.s.policy == Auto {
		if _, err := native.Find(r.ctx, native.Config{Notice: r.notice}); err == nil {
			return chosen{native: true, why: "it is a program"}, nil
		}
	}
	if p.tainted != "" {
		return chosen{native: true, why: p.tainted}, nil
	}
	var c chosen
	c.prog, c.refusals = lower.Lower(p.cell)
	if len(c.refusals) == 0 {
		return c, nil
	}
	if r.s.policy == Interpret {
		return c, r.refusal(c.refusals)
	}
	first := c.refusals[0]
	return chosen{native: true, why: first.Construct, at: diag(first, r.cell.Number)}, nil
}

// wants tells whether a cell is compiled without looking at it.
func (r *run) wants(p *plan) bool {
	if r.s.policy != Native && r.forced == "" {
		return false
	}
	for _, x := range p.cell.Pieces {
		if g, ok := x.Node.(*ast.GenDecl); x.Stmts != nil || x.Node != nil && (!ok || len(g.Specs) > 0 && x.Kind != front.Import) {
			return true
		}
	}
	return false
}
