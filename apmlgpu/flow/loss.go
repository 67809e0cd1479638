package flow

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Loss is a loss between the cloud that moves and its target, with the gradient
// GradX (or GradX64, which is taken where it is there). Any call of apmlgpu is
// one, with any options but NoGrad; so is a sum of several.
//
// It must not keep or change its arguments.
type Loss func(x, y cloud.Cloud) (apmlgpu.Result, error)

// EMD is [apmlgpu.EMD] as a loss whose calls start from the potentials of the
// call before. A Warm of the options starts the first.
//
// What it remembers belongs to one target and one number of points: each [Run]
// begins anew, so that two runs are alike to the bit. Several goroutines may
// call it, one after the other; let each flow have one of its own.
func EMD(opt apmlgpu.EMDOptions) Loss {
	m := &memory{first: opt.Warm}
	return m.loss(func(x, y cloud.Cloud, warm *apmlgpu.Potentials) (apmlgpu.Result, error) {
		o := opt
		o.Warm = warm
		return apmlgpu.EMD(x, y, o)
	})
}

// Sinkhorn is [apmlgpu.Sinkhorn] as a loss whose calls start from the potentials
// of the call before, as [EMD]. Without Blur and Epsilon the ε of the first call
// is that of the whole flow: a flow goes down one function.
func Sinkhorn(opt apmlgpu.SinkhornOptions) Loss {
	m := &memory{first: opt.Warm}
	return m.loss(func(x, y cloud.Cloud, warm *apmlgpu.Potentials) (apmlgpu.Result, error) {
		o := opt
		o.Warm = warm
		if o.Blur == 0 && o.Epsilon == 0 {
			o.Epsilon = m.epsilon
		}
		r, err := apmlgpu.Sinkhorn(x, y, o)
		m.epsilon = r.Stats.Epsilon
		return r, err
	})
}

// Of is the loss of that name in [apmlgpu.Losses], with the options that its row
// makes, filled in, or nil for the usual ones. A metric has no gradient and is
// refused.
//
// Errors: ErrOption.
func Of(name string, options any) (Loss, error) {
	const op = "flow.Of"
	var names []string
	for _, l := range apmlgpu.Losses() {
		if l.Metric {
			continue
		}
		if l.Name != name {
			names = append(names, l.Name)
			continue
		}
		usual := l.Usual()
		if options == nil {
			options = usual
		}
		if got, want := reflect.TypeOf(options), reflect.TypeOf(usual); got != want {
			return nil, &apmlgpu.Error{Op: op, Err: fmt.Errorf("%w: options of %s are a %v, want a %v", apmlgpu.ErrOption, name,
				got, want), Advice: "fill in what Options of the row returns"}
		}
		switch o := options.(type) {
		case *apmlgpu.APMLOptions:
			return APML(*o), nil
		case *apmlgpu.EMDOptions:
			return EMD(*o), nil
		case *apmlgpu.SinkhornOptions:
			return Sinkhorn(*o), nil
		}
		own := reflect.New(reflect.TypeOf(usual).Elem()) // what the caller changes later does not count
		own.Elem().Set(reflect.ValueOf(options).Elem())
		return func(x, y cloud.Cloud) (apmlgpu.Result, error) { return l.Run(x, y, own.Interface()) }, nil
	}
	return nil, &apmlgpu.Error{Op: op, Err: fmt.Errorf("%w: no loss with a gradient is named %q", apmlgpu.ErrOption, name),
		Advice: "give one of " + strings.Join(names, ", ")}
}

// memory is what a loss keeps from one call to the next.
type memory struct {
	mu      sync.Mutex
	first   *apmlgpu.Potentials // the caller's, for the first call of a flow
	warm    *apmlgpu.Potentials
	epsilon float64   // of the first call; 0 before it
	y       []float32 // the target that it belongs to
	n       int       // points of x
}

// loss calls f with what is remembered, and remembers. A warm start from which
// the solver does not converge is taken back.
func (m *memory) loss(f func(x, y cloud.Cloud, warm *apmlgpu.Potentials) (apmlgpu.Result, error)) Loss {
	return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !m.knows(x, y) {
			m.warm, m.epsilon, m.y, m.n = m.first, 0, y.X, x.N
		}
		r, err := f(x, y, m.warm)
		if errors.Is(err, apmlgpu.ErrNotConverged) && m.warm != nil {
			r, err = f(x, y, nil)
		}
		m.warm = nil
		if p, e := r.Potentials(); e == nil {
			m.warm = &p
		}
		return r, err
	}
}

// knows tells whether the memory is of this target. The array is the target: it is
// kept here, so that no other one can take its place.
func (m *memory) knows(x, y cloud.Cloud) bool {
	return x.N == m.n && len(y.X) > 0 && len(m.y) == len(y.X) && &m.y[0] == &y.X[0]
}
