//go:build race

package native

const raced = true // this program is built with -race
