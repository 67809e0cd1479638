//go:build !linux

package worker

import "os"

// Without /proc there is no watch over memory: GOMEMLIMIT alone is set, and
// only where a limit is asked for.
func executable() (string, error) { return os.Executable() }
func resident(int) int64          { return 0 }
func peak(*os.ProcessState) int64 { return 0 }
func defaultMemory() int64        { return -1 }
func offerFirst()                 {}
func limitData(int64)             {}
func sweep(int)                   {}
func ends(int) bool               { return true } // it is not known
