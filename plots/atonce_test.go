package plots

import (
	"bytes"
	"sync"
	"testing"
)

// Two pictures drawn at once are the two drawn one after the other: nothing of
// a figure is shared.
func TestAtOnce(t *testing.T) {
	draw := func(name string) []byte {
		f, err := Scaling([]Curve{{Name: name, X: []float64{10, 100, 1000}, Y: []float64{1, 9, 110}}}, ScalingOptions{})
		if err != nil {
			t.Error(err)
			return nil
		}
		b, err := f.PNG()
		if err != nil {
			t.Error(err)
		}
		return b
	}
	names := []string{"first", "second"}
	want := [][]byte{draw(names[0]), draw(names[1])}
	got := make([][]byte, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { got[i] = draw(name) })
	}
	all.Wait()
	for i := range names {
		if len(got[i]) == 0 || !bytes.Equal(got[i], want[i]) {
			t.Errorf("%s: %d bytes drawn at once, %d alone", names[i], len(got[i]), len(want[i]))
		}
	}
}
