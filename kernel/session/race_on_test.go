//go:build race

package session

// raceOn: the race detector watches.
const raceOn = true
