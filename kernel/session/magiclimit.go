package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// buildLimit of a session that has not set one is the toolchain's.
const usualBuild = time.Minute

// limit is %limit: the limit of a build is the session's, the others are those
// of the process around it, which changes them at once.
func (r *run) limit(args string) error {
	around, hasLimits := r.sink.(engine.Limiter)
	for _, f := range strings.Fields(args) {
		key, value, ok := strings.Cut(f, "=")
		if !ok {
			return fmt.Errorf("%%limit %s: it takes KEY=VALUE; the keys are output, patience, memory and build", f)
		}
		if key == "build" {
			d, err := time.ParseDuration(value)
			if err != nil || d < time.Second {
				return fmt.Errorf("%%limit %s: it is a time of one second or more, as 120s", f)
			}
			r.s.buildLimit = d
			r.setting("build " + value)
			continue
		}
		if !hasLimits {
			return fmt.Errorf("%%limit %s: %w", f, errNoLimits)
		}
		if _, err := around.Limit(f); err != nil {
			return fmt.Errorf("%%limit %s: %w", f, err)
		}
	}
	if args != "" {
		return nil
	}
	text := ""
	if hasLimits {
		all, err := around.Limit("")
		if err != nil {
			return fmt.Errorf("%%limit: %w", err)
		}
		text = all + " "
	}
	d := r.s.buildLimit
	if d == 0 {
		d = usualBuild
	}
	r.say("%sbuild=%v", text, d)
	return nil
}

var errNoLimits = errors.New("no process is around this session that keeps limits")
