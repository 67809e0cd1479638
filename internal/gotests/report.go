package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is a line a mode, then what was left out, by reason.
func table(all []result, modes []string, files int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files\n%-8s %6s %6s %8s %6s %9s\n", files, "", "run", "right", "refused", "wrong", "left out")
	reasons := map[string]int{}
	for _, m := range modes {
		n := map[string]int{}
		for _, r := range all {
			for _, v := range r.verdicts {
				if v.mode != m {
					continue
				}
				if n[v.kind]++; v.kind == "left" {
					reasons[m+": "+kindOf(v.why)]++
				}
			}
		}
		fmt.Fprintf(&b, "%-8s %6d %6d %8d %6d %9d\n", m, n["right"]+n["refused"]+n["wrong"], n["right"], n["refused"], n["wrong"], n["left"])
	}
	if len(reasons) > 0 {
		b.WriteString("left out:\n")
	}
	for _, m := range sortedKeys(reasons) {
		fmt.Fprintf(&b, "%6d  %s\n", reasons[m], m)
	}
	return b.String()
}

// kindOf is a reason without the words of the single case.
func kindOf(why string) string {
	head, _, _ := strings.Cut(why, ": ")
	return head
}

func sortedKeys(m map[string]int) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mostRefused is the share of programs that may be refused.
const mostRefused = 0.03

// judgement is an error when a file went wrong, or too many were refused.
func judgement(all []result, modes []string) error {
	var faults []string
	for _, m := range modes {
		n := map[string]int{}
		for _, r := range all {
			for _, v := range r.verdicts {
				if v.mode == m {
					n[v.kind]++
				}
			}
		}
		run := n["right"] + n["refused"] + n["wrong"]
		if n["wrong"] > 0 {
			faults = append(faults, fmt.Sprintf("%s: %d wrong", m, n["wrong"]))
		}
		if float64(n["refused"]) > max(1, mostRefused*float64(run)) {
			faults = append(faults, fmt.Sprintf("%s: %d of %d refused", m, n["refused"], run))
		}
		if run == 0 {
			faults = append(faults, m+": nothing was run")
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%s", strings.Join(faults, "; "))
	}
	return nil
}
