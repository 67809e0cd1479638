package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"
)

// keep is how many signatures are remembered: hours of a busy notebook. Of each
// half is kept, 128 bits.
const keep = 65_536

type half [sha256.Size / 2]byte

// repeats remembers the last signatures, so that a message that someone
// recorded cannot be sent again. Its zero value is ready. It takes 1.5 MB, at
// once: a map of as many would grow for hours.
type repeats struct {
	mu   sync.Mutex
	ring []half // in order of arrival; next is the oldest once it is full
	next int
	// table has places in ring, plus one, each at or behind the cell where its
	// signature would lie; 0 is an empty cell.
	table []int32
}

// cells of table: twice as many as are filled, a power of two.
const cells = 2 * keep

// home is the cell where a signature would lie. It is random already.
func home(h half) int { return int(binary.LittleEndian.Uint32(h[:])) & (cells - 1) }

// find gives the cell of a signature, or the empty one where it belongs.
func (r *repeats) find(h half) int {
	i := home(h)
	for r.table[i] != 0 && r.ring[r.table[i]-1] != h {
		i = (i + 1) & (cells - 1)
	}
	return i
}

// add remembers sig, which is one of ours, and says whether it was there.
func (r *repeats) add(sig []byte) bool {
	var h half
	hex.Decode(h[:], sig[:2*len(h)]) // it was compared with one that we made
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table == nil {
		r.ring, r.table = make([]half, 0, keep), make([]int32, cells)
	}
	if r.table[r.find(h)] != 0 {
		return true
	}
	if len(r.ring) < keep {
		r.ring = append(r.ring, h)
		r.table[r.find(h)] = int32(len(r.ring))
		return false
	}
	r.remove(r.find(r.ring[r.next]))
	r.ring[r.next] = h
	r.table[r.find(h)] = int32(r.next + 1)
	r.next = (r.next + 1) % keep
	return false
}

// remove empties cell i and moves up what stands behind it and would not be
// found any more.
func (r *repeats) remove(i int) {
	for j := (i + 1) & (cells - 1); r.table[j] != 0; j = (j + 1) & (cells - 1) {
		from := home(r.ring[r.table[j]-1])
		if (j-from)&(cells-1) >= (j-i)&(cells-1) {
			r.table[i], i = r.table[j], j
		}
	}
	r.table[i] = 0
}
