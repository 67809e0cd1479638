package losstest

import "testing"

// FuzzSmall gives small clouds with hostile numbers to every loss.
func FuzzSmall(f *testing.F) {
	f.Add([]byte{2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5})
	f.Add([]byte{2, 200, 1, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 201, 3, 3, 3, 2, 2, 2, 0, 0, 1})
	f.Add([]byte{0, 5, 9, 9, 9})
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 64 {
			t.Skip("longer than two clouds of six points")
		}
		judgeSmall(t, "cpu", code)
	})
}
