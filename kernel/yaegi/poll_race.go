//go:build race

package yaegi

import (
	"reflect"
	"regexp"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

var poll = regexp.MustCompile(`if \*(s\.Stop\d+|_stop\d+) \{ s\.End`)

// pollText lets every poll read the flag by a compiled function and its lock:
// the detector would report the plain reading, which is meant.
func pollText(text string) string { return poll.ReplaceAllString(text, "if $1() { s.End") }

// pollValue is what a poll's symbol stands for.
func pollValue() reflect.Value { return reflect.ValueOf(cellapi.Raised) }
