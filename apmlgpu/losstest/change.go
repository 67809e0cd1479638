package losstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// changes does what one step says: one verb, or several in their order.
func changes(p [][]float64, step json.RawMessage) ([][]float64, error) {
	d := json.NewDecoder(bytes.NewReader(step))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("step %s is not an object", step)
	}
	for d.More() {
		verb, err := d.Token()
		if err != nil {
			return nil, err
		}
		var arg json.RawMessage
		if err := d.Decode(&arg); err != nil {
			return nil, err
		}
		if p, err = change(p, fmt.Sprint(verb), arg); err != nil {
			return nil, fmt.Errorf("step %s: %w", verb, err)
		}
	}
	return p, nil
}

// change does one verb.
func change(p [][]float64, verb string, arg json.RawMessage) (q [][]float64, err error) {
	switch verb {
	case "scale", "shift", "jitter", "rotx", "roty", "rotz":
		return moved(p, verb, arg)
	case "repeat", "pad", "perm", "head", "every":
	default:
		return nil, fmt.Errorf("no step %q", verb)
	}
	var count float64 // 3 may be written 3.0
	if err := json.Unmarshal(arg, &count); err != nil {
		return nil, err
	}
	n := int(count)
	if n < 0 || n < 1 && (verb == "every" || verb == "perm") {
		return nil, fmt.Errorf("%d is too small", n)
	}
	switch verb {
	case "pad":
		d := 3
		if len(p) > 0 {
			d = len(p[0])
		}
		return append(append(q, p...), origins(n, d)...), nil
	case "head":
		return p[:min(n, len(p))], nil
	}
	for i, a := range p {
		switch {
		case verb == "repeat":
			for range n {
				q = append(q, a)
			}
		case verb == "perm":
			q = append(q, p[(i*n+1)%len(p)])
		case i%n == 0:
			q = append(q, a)
		}
	}
	return q, nil
}

// moved moves every point.
func moved(p [][]float64, verb string, arg json.RawMessage) (q [][]float64, err error) {
	var by float64
	var v []float64
	var jitter struct {
		Amp  float64
		Seed uint64
	}
	switch verb {
	case "jitter":
		err = json.Unmarshal(arg, &jitter)
	case "scale", "shift":
		if err = json.Unmarshal(arg, &by); err != nil {
			err = json.Unmarshal(arg, &v)
		}
	default:
		err = json.Unmarshal(arg, &by)
	}
	if err != nil {
		return nil, err
	}
	s := splitmix(jitter.Seed)
	c, d := math.Cos(by), math.Sin(by)
	for _, a := range p {
		b := append([]float64(nil), a...)
		at := func(k int) float64 {
			if v == nil {
				return by
			}
			return v[k%len(v)]
		}
		if verb[:3] == "rot" {
			j := int(verb[3] - 'x')
			if k, l := (j+1)%3, (j+2)%3; max(k, l) < len(a) {
				b[k], b[l] = float64(c*a[k])-float64(d*a[l]), float64(d*a[k])+float64(c*a[l])
			}
			q = append(q, b)
			continue
		}
		for k := range b {
			switch verb {
			case "scale":
				b[k] *= at(k)
			case "shift":
				b[k] += at(k)
			case "jitter":
				b[k] += jitter.Amp * (2*s.next() - 1)
			}
		}
		q = append(q, b)
	}
	return q, nil
}
