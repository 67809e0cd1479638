package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// features writes cpuid and xgetbv.
func features() {
	TEXT("cpuid", NOSPLIT, "func(leaf, sub uint32) (a, b, c, d uint32)")
	Doc("cpuid asks the processor about itself.")
	Load(Param("leaf"), reg.EAX)
	Load(Param("sub"), reg.ECX)
	CPUID()
	Store(reg.EAX, Return("a"))
	Store(reg.EBX, Return("b"))
	Store(reg.ECX, Return("c"))
	Store(reg.EDX, Return("d"))
	RET()

	TEXT("xgetbv", NOSPLIT, "func() (a uint32)")
	Doc("xgetbv tells which registers the system saves.")
	XORL(reg.ECX, reg.ECX)
	XGETBV()
	Store(reg.EAX, Return("a"))
	RET()
}

// fours are the constants of four numbers so far.
var fours = map[string]Mem{}

// four is a constant of four equal float64.
func four(name string, v float64) Mem {
	if m, ok := fours[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	fours[name] = m
	for k := range 4 {
		DATA(8*k, F64(v))
	}
	return m
}
