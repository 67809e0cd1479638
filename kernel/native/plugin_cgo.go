//go:build cgo && (linux || darwin || freebsd)

package native

// loads says whether this program can load plugins.
const loads = true
