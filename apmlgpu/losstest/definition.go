package losstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// smallCases are pairs at which the definitions tell right from wrong: few
// points, ties by the dozen, weights with zeros, sizes that differ, one to five
// coordinates, clouds far from the origin. All sums of weights are 1.
func smallCases(seed uint64, count int) (cases []Family) {
	rnd := rand.New(rand.NewPCG(1, seed))
	for k := range count {
		d := 1 + k%5
		kind := []string{"lattice", "even", "copies", "far"}[k/5%4]
		f := Family{Name: fmt.Sprintf("case %d of seed %d: %s in %d dimensions", k, seed, kind, d)}
		for _, c := range []*cloud.Cloud{&f.X, &f.Y} {
			*c = smallCloud(rnd, kind, 1+rnd.IntN(9), d)
			if rnd.IntN(2) == 0 {
				c.W = smallWeights(rnd, c.N)
			}
		}
		cases = append(cases, f)
	}
	return cases
}

func smallCloud(rnd *rand.Rand, kind string, n, d int) cloud.Cloud {
	c := cloud.Cloud{N: n, D: d, X: make([]float32, n*d)}
	for i := range c.X {
		switch kind {
		case "lattice":
			c.X[i] = float32(rnd.IntN(4)) / 4
		case "far":
			c.X[i] = 1000 + float32(rnd.NormFloat64())/4
		default:
			c.X[i] = float32(rnd.NormFloat64()) / 2
		}
	}
	for i := 1; i < n && kind == "copies"; i++ {
		if j := rnd.IntN(2 * i); j < i {
			copy(c.X[i*d:(i+1)*d], c.X[j*d:(j+1)*d])
		}
	}
	return c
}

// smallWeights are whole numbers, divided by their sum, and one at least is not
// zero.
func smallWeights(rnd *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	sum := 0.0
	for sum == 0 {
		for i := range w {
			w[i] = float64(rnd.IntN(4))
			sum += w[i]
		}
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// disagreement is where a loss first differs from its definition, or "".
func disagreement(cases []Family, loss func(x, y cloud.Cloud) (answer, error), d definition) string {
	for _, f := range cases {
		got, err := loss(f.X, f.Y)
		if err != nil {
			return fmt.Sprintf("%s: %v", f.Name, err)
		}
		if s := got.differs(d(f.X, f.Y, ""), sameMethod); s != "" {
			return f.Name + ": " + s
		}
	}
	return ""
}

// answerOf is a result as an answer.
func answerOf(r apmlgpu.Result) answer { return answer{r.Value, r.GradX64, r.GradY64} }

// definitionCases is how many cases every loss meets.
const definitionCases = 300

// definitionPoints is the size of the families at which they are compared: trees
// have many leaves, lists are sorted by digits, and a definition takes N·M steps.
const definitionPoints = 520

// runDefinitions compares every loss that has a definition with it, on small
// cases and on the families, as they are and far from the origin.
func runDefinitions(t *testing.T, backend string) {
	const seed = 23
	cases := smallCases(seed, definitionCases)
	families := Families(definitionPoints, seed)
	for _, f := range families {
		far := Family{f.Name + ", moved", shifted(f.X, 1e5), shifted(f.Y, 1e5)}
		families = append(families, weighted(f), far)
	}
	for _, l := range losses(backend) {
		if l.oracle == nil {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			of := func(x, y cloud.Cloud) (answer, error) {
				r, err := l.call(x, y, call{threads: 2})
				if l.loose {
					return answer{value: r.Value}, err
				}
				return answerOf(r), err
			}
			if s := disagreement(cases, of, l.oracle); s != "" {
				t.Error(s)
			}
			if strings.HasPrefix(l.name, "infocd") || l.name == "hausdorff, quantile" || l.name == "metrics" ||
				strings.HasPrefix(l.name, "sliced, ") || l.loose || l.entropic {
				return // N times the work of the others, by definition, or that of another row
			}
			if s := disagreement(families, of, l.oracle); s != "" {
				t.Error(s)
			}
		})
	}
}
