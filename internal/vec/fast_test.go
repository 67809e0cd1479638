package vec

import "math"

// The forms of each function that this build has: "chosen" is the assembly where
// the machine runs it.
var (
	pulls   = map[string]func(*Row, []float64){"chosen": pull, "plain": pullPlain}
	draws   = map[string]func(*Row, []float64){"chosen": draw, "plain": drawPlain}
	withins = map[string]func(*[3]float32, []float32, *[Boxes][2]int32, uint64, float32, []int32) int{
		"chosen": Within, "plain": withinPlain,
	}
	leasts = map[string]func(*[3]float32, []float32, *[Boxes][2]int32, uint64) (float32, float32){
		"chosen": Least, "plain": leastPlain,
	}
	eithers = map[string]func(*[3]float32, []float32, []float32, *[Boxes][2]int32, uint64, float32, []int32) int{
		"chosen": WithinEither, "plain": eitherPlain,
	}
	boxesNears = map[string]func(*[6]float32, []float32, []float32, int, float32) uint64{
		"chosen": BoxesNear,
		"plain": func(box *[6]float32, p, own []float32, n int, bound float32) uint64 {
			return boxesPlain(box, p, own, (n+7)/8, bound) & (math.MaxUint64 >> (Boxes - n))
		},
	}
)
