package worker

import (
	"fmt"
	"slices"
	"strings"
)

// keep notes a setting of a cell; an older one of the same thing goes.
func (p *Parent) keep(setting string) {
	key := settingKey(setting)
	p.settings = slices.DeleteFunc(p.settings, func(s string) bool { return settingKey(s) == key })
	p.settings = append(p.settings, setting)
}

// settingKey is what a setting is about: "engine", or "env NAME".
func settingKey(setting string) string {
	key, rest, _ := strings.Cut(setting, " ")
	if key == "env" {
		name, _, _ := strings.Cut(rest, "=")
		return key + " " + name
	}
	return key
}

// history is the texts of the cells that were run, under their numbers: all, or
// with "-n N" the last N. The cell that asks is not among them.
func (p *Parent) history(args string) string {
	list := p.past[:max(0, len(p.past)-1)]
	var n int
	if _, err := fmt.Sscanf(args, "-n %d", &n); err == nil && n < len(list) {
		list = list[len(list)-n:]
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "[%d] %s\n", c.number, strings.ReplaceAll(strings.TrimSpace(c.code), "\n", "\n    "))
	}
	return b.String()
}
