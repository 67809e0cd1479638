// Package vec has the inner loops that are worth assembly: each is a plain Go
// loop, which is its meaning, and on amd64 with AVX2 and FMA a faster one, made
// by internal/gen/asm, that agrees with it to the error named. The build tag
// noasm leaves the plain loops alone.
package vec

// Fast says that this machine runs the assembly.
func Fast() bool { return fast }
