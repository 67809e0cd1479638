package main

// left are files that are not judged, with the reason, by mode; "" is all that
// run programs.
var left = map[string]map[string]string{}

// leftOut says why a file is not judged in a mode, or "".
func leftOut(f *file, mode string) string {
	if why := left[""][f.name]; why != "" && mode != "errors" {
		return why
	}
	if mode == "cut" || mode == "again" { // what is not judged as a cell is not as some
		if why := left["cell"][f.name]; why != "" {
			return why
		}
	}
	return left[mode][f.name]
}
