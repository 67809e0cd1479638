package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A notebook of 100 MB is run, and kept to the last byte; one above the limit is
// refused before it is read.
func TestRunLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200 MB: left out of the short tests")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "n.ipynb"), filepath.Join(dir, "out.ipynb")
	picture := strings.Repeat("0123456789abcdef", 100<<20/16)
	text := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "c", "metadata": {},
		"execution_count": null, "outputs": [], "source": "40 + 2"}, {"cell_type": "markdown", "id": "m", "metadata": {},
		"source": "![p](attachment:p.png)", "attachments": {"p.png": {"image/png": "` + picture + `"}}}]}`
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(t, "", "--engine", "interpret", "-o", out, in); code != 0 {
		t.Fatalf("code %d, %s", code, errs)
	}
	b, err := os.ReadFile(out)
	if err != nil || !bytes.Contains(b, []byte(picture)) || !bytes.Contains(b, []byte(`"42"`)) {
		t.Errorf("%d bytes are written, %v", len(b), err)
	}
	if err := os.Truncate(in, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(t, "", in); code != 2 || !strings.Contains(errs, "more than 512 MB") {
		t.Errorf("above the limit: code %d, %s", code, errs)
	}
}
