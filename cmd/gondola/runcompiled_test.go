//go:build cgo

package main

import "testing"

// What a program may do that only compiled code does.
func TestRunCompiled(t *testing.T) {
	for _, tt := range []aProgram{
		{"a package's exit", "package main\n\nimport \"flag\"\n\nfunc main() { flag.Parse() }\n", "",
			[]string{"--", "-no"}, 2, "", "flag provided but not defined: -no"},
		{"a package's good exit", "package main\n\nimport \"flag\"\n\nfunc main() { flag.Parse(); panic(1) }\n", "",
			[]string{"--", "-h"}, 0, "", "Usage of "},
		{"variable of a method", "package main\n\nimport \"fmt\"\n\ntype d int\n\ntype E struct{ dir d }\n\n" +
			"func (e E) T() []E { return []E{m[1], {d(1)}} }\n\n" +
			"var m = map[int]E{1: {2}}\n\nfunc main() { fmt.Println(m[1].T()) }\n", "", nil, 0, "[{2} {1}]\n", ""},
	} {
		t.Run(tt.name, tt.judge)
	}
}
