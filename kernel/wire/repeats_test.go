package wire

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// A signature is known again until 65 536 others came, wherever it lies: the
// answers are those of a map and a list. Some signatures want the same places,
// at the end of the table and so at its beginning too.
func TestRepeats(t *testing.T) {
	const n = 3 * keep
	var r repeats
	rng := rand.New(rand.NewPCG(1, 3))
	known, list := map[half]bool{}, []half{}
	for i := range n {
		var h half
		binary.LittleEndian.PutUint64(h[:], rng.Uint64())
		binary.LittleEndian.PutUint64(h[8:], uint64(i))
		switch rng.IntN(256) {
		case 0:
			binary.LittleEndian.PutUint32(h[:], cells-1-uint32(rng.IntN(3)))
		case 1: // one that came before
			if i > 0 {
				h = list[max(0, len(list)-1-rng.IntN(2*keep))]
			}
		}
		want := known[h]
		if got := r.add([]byte(hex.EncodeToString(append(h[:], h[:]...)))); got != want {
			t.Fatalf("signature %d: known %v, want %v", i, got, want)
		}
		if want {
			continue
		}
		known[h], list = true, append(list, h)
		if len(list) > keep {
			delete(known, list[len(list)-keep-1])
		}
	}
	filled := 0
	for _, at := range r.table {
		if at != 0 {
			filled++
		}
	}
	if filled != keep || len(r.ring) != keep {
		t.Errorf("%d cells and %d signatures, want %d of both", filled, len(r.ring), keep)
	}
}
