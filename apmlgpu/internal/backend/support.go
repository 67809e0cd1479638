package backend

// SparseShare is the part of all pairs up to which every backend holds the support
// sparse. A plan of all pairs takes 8 bytes a pair and one of the support 24 an entry,
// but on the CPU the time of the first is 5 times that of the second at a fifth of
// 66,049 pairs, 1.9 times at half of 4,096 and about the same at nine tenths of 1,089.
const SparseShare = 2

// Shares are the weights w of the points in rep with sum total over all of w, nil
// where w is: 1 then.
func Shares(w []float64, rep []int32, total int) []float64 {
	if w == nil {
		return nil
	}
	largest, sum := 0.0, 0.0
	for _, v := range w {
		largest = max(largest, v)
	}
	for _, v := range w { // divided first: the sum of large weights may overflow
		sum += v / largest
	}
	share := make([]float64, len(rep))
	for k, i := range rep {
		share[k] = float64(total) * (w[i] / largest / sum)
	}
	return share
}
