// Command asm writes the amd64 assembly of internal/vec by avo: run it in its
// own folder, which is a module of its own so that nobody else needs avo.
//
//	go run . -out ../../vec/vec_amd64.s -stubs ../../vec/stubs_amd64.go -pkg vec
//
// The meaning of every function is the plain loop beside it in internal/vec.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	features()
	pull()
	draws()
	draw32()
	places := placesTable()
	within(places, "withinAVX2", false)
	within(places, "eitherAVX2", true)
	least()
	boxes()
	exp("expAVX2", false)
	exp("expSumAVX2", true)
	spots()
	bias("biasAVX2", false)
	bias("biasRootAVX2", true)
	powers("powers32AVX2", false, false)
	powers("powersRoot32AVX2", true, false)
	powers("powersAVX2", false, true)
	triple()
	dots("dotsAVX2", "float64", 8)
	dots("dots32AVX2", "float32", 4)
	adds("addsAVX2", "float64", 8)
	adds("adds32AVX2", "float32", 4)
	distances()
	similar()
	masks := firsts()
	lines(masks, "linesAVX2", "float64", 8)
	lines(masks, "lines32AVX2", "float32", 4)
	spread()
	forces(masks, "forcesAVX2", "float64", 8, false)
	forces(masks, "forces32AVX2", "float32", 4, false)
	forces(masks, "exchangeAVX2", "float64", 8, true)
	Generate()
}
