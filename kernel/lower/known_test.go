package lower

import (
	"go/types"
	"strings"
	"testing"
)

// A cell over a compiled type of an earlier cell is lowered where it uses what
// reflect reaches: exported fields and methods. Without the type, with small
// letters and with instances of generic types it is refused.
func TestKnownTypes(t *testing.T) {
	const decl = "type P struct {\n\tX, Y int\n\tsmall int\n}\nfunc (p P) Add(q P) P { return p }\nfunc (p *P) Move() {}\n" +
		"func (p P) hidden() {}\ntype L []P\ntype G[T any] struct{ V T }\ntype point struct{ X int }"
	for src, want := range map[string]string{
		"p := P{X: 1}\np.X++\np.Move()\nq := p.Add(p)\nfmt.Println(p == q, &q)":                    "",
		"func sum(ps []P) (t P) {\n\tfor _, p := range ps {\n\t\tt = t.Add(p)\n\t}\n\treturn t\n}": "",
		"m := map[P][]*P{{X: 1}: nil}\nc := make(chan P, 1)\nl := L{{X: 2}}\nf := l[0].Add":        "",
		"var v any = P{}\nswitch v := v.(type) {\ncase P:\n\tv.Move()\n}":                          "",
		"x := point{3}\nx.X = 4": "",
		"p := P{}\np.small = 1":  "the unexported field small",
		"p := P{1, 2, 3}":        "the unexported field small",
		"p := P{}\np.hidden()":   "the unexported method hidden",
		"g := G[int]{3}":         "the generic type G[int]",
		"type Q P\nvar q Q":      "the declaration of type Q",
	} {
		c := check(t, decl, src)
		_, refusals := LowerOver(c, func(o *types.TypeName) bool { return o.Name() != "Q" })
		got := ""
		for _, r := range refusals {
			got += r.Construct + "\n"
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: refused %q, want %q", src, got, want)
		}
		if _, refusals := Lower(c); len(refusals) == 0 {
			t.Errorf("%q is lowered over types that nobody knows", src)
		}
	}
}
