#!/bin/sh
# race.sh: the race detector over what runs goroutines. Left out are the tests of kernel/yaegi and those cases of
# kernel/session whose goroutines run one function at once: each notes the line it is at in the function's slot,
# unguarded on purpose, and the detector ends the test when it sees two of them meet.
set -eu
cd "$(dirname "$0")/.."
meet='TestTranscripts/.*/20-goroutines|TestPrograms/conc_06|TestOwnTranscripts/statements'
go list ./kernel/... | grep -v '/kernel/yaegi$' |
  xargs go test -race -short -skip "$meet" ./apmlgpu ./apmlgpu/internal/... ./internal/spatial ./internal/ratio
go test -race -short -run 'CPU/(threads|hostile)$' ./apmlgpu/losstest
go test -race -run AtOnce ./plots
