//go:build amd64 || arm64

package cellapi

// self returns the address of what the runtime keeps of the calling goroutine,
// which stays the same as long as the goroutine lives and is its alone.
//
// Why assembly: the number of a goroutine stands only in the head of its trace,
// and runtime.Stack walks over the whole stack to write it. A poll asks who it
// is while any goroutine is left behind, so a deep recursion became quadratic.
func self() uintptr
