//go:build !race

package native

const raced = false // this program is built with -race
