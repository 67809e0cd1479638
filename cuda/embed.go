// Package cuda holds the kernels of the GPU backend and is the one seam to the
// NVIDIA driver. The kernels are compiled to PTX by clang, committed and
// embedded; no CUDA file is needed to build, install or test.
package cuda

import _ "embed"

//go:embed apml.ptx
var ptx string

// PTX is the text of the kernels, for a driver to translate.
func PTX() string { return ptx }
