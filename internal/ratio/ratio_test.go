package ratio

import "testing"

func TestOfCallsInTurn(t *testing.T) {
	var order []byte
	r := Of(3, func() { order = append(order, 'b') }, func() { order = append(order, 'c') })
	if string(order) != "bcbcbcbc" {
		t.Errorf("order of the calls is %q, want a first pair and three pairs in turn", order)
	}
	if !(r > 0) {
		t.Errorf("ratio %v, want a number above zero", r)
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		in   []float64
		want float64
	}{
		{[]float64{7}, 7},
		{[]float64{3, 1}, 2},           // (1+3)/2
		{[]float64{9, 1, 5}, 5},        // the middle one
		{[]float64{100, 1, 2, 3}, 2.5}, // one slow run moves nothing
	} {
		if got := median(tt.in); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.in, got, tt.want)
		}
	}
}
