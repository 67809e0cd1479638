//go:build !race

package yaegi

import (
	"reflect"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// pollText is the program as the lowering wrote it: its polls read the flag
// where it lies. A poll that reads an old value asks again at the next turn.
func pollText(text string) string { return text }

// pollValue is what a poll's symbol stands for.
func pollValue() reflect.Value { return reflect.ValueOf(cellapi.Flag()) }
