package server

import "slices"

// Recent is the texts of the last cells of this history, at most n, oldest
// first; a text that is the one before again is left out.
func (h *History) Recent(n int) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	var texts []string
	for i := len(h.cells) - 1; i >= 0 && len(texts) < n; i-- {
		if t := h.cells[i].in; len(texts) == 0 || texts[len(texts)-1] != t {
			texts = append(texts, t)
		}
	}
	slices.Reverse(texts)
	return texts
}
