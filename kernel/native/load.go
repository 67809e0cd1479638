package native

import (
	"fmt"
	"plugin"
	"strings"
	"sync/atomic"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

var loaded atomic.Int64

// Loaded returns how many plugins this process has loaded: about 3 MB each,
// never given back.
func Loaded() int { return int(loaded.Load()) }

// Load brings the objects of a unit into this process, by its init functions.
// It takes 4 to 9 ms.
//
// Errors: *[Unavailable] when the plugin is not of this program's build.
func (t *Toolchain) Load(p *Plugin) (cellapi.Objects, error) {
	if _, err := plugin.Open(p.File); err != nil {
		return cellapi.Objects{}, loadError(err)
	}
	loaded.Add(1)
	o, ok := cellapi.Registered(p.Path)
	if !ok {
		return o, fmt.Errorf("native: %s was loaded and has registered nothing", p.Path)
	}
	return o, nil
}

// loadError says in one sentence why a plugin did not load.
func loadError(err error) error {
	if _, pkg, ok := strings.Cut(err.Error(), "different version of package "); ok {
		pkg = strings.TrimSpace(pkg)
		return &Unavailable{"selftest",
			"compiled cells do not fit this program: its package " + pkg + " is not that of the source folder",
			"build gondola again from its source, or set GONDOLA_SRC to the folder that it was built from"}
	}
	return &Unavailable{"selftest", "compiled cells do not load: " + err.Error(), "tell the authors of gondola"}
}
