#!/bin/sh
# race.sh: the race detector over what runs goroutines. The tests of kernel/yaegi are left out: the programs
# that they run race on purpose; the line they belong to is watched through kernel/session.
set -eu
cd "$(dirname "$0")/.."
go list ./kernel/... | grep -v '/kernel/yaegi$' | xargs go test -race -short ./apmlgpu ./apmlgpu/internal/... ./internal/spatial ./internal/ratio
go test -race -short -run 'CPU/(threads|hostile)$' ./apmlgpu/losstest
go test -race -run AtOnce ./plots
