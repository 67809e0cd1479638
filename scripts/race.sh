#!/bin/sh
# race.sh: the race detector over what runs goroutines. Left out are the tests of kernel/yaegi and those cases of
# kernel/session whose goroutines run one function at once: each notes the line it is at in the function's slot,
# unguarded on purpose, and the detector ends the test when it sees two of them meet. The redefinition matrix is left
# out as well: it loads some hundred plugins.
set -eu
cd "$(dirname "$0")/.."
meet='TestTranscripts/.*/20-goroutines|TestPrograms/conc_06|TestOwnTranscripts/statements|TestRedefinitionMatrix'
mkdir -p out/ci

# The detector has no shadow for the memory of plugins (compiled cells): it takes what lies there for something else, and
# ends the process when it wants to tell of it. That end alone, without a report, is tried again.
session() {
  for try in 1 2 3 4; do
    rm -f out/ci/race.*
    GORACE="log_path=$PWD/out/ci/race" go test -race -short -skip "$meet" ./kernel/session && return
    cat out/ci/race.* 2>/dev/null || true
    grep -qs 'failed to restore address' out/ci/race.* || break
    grep -qs 'DATA RACE' out/ci/race.* && break
    echo "kernel/session: the detector met the memory of a plugin; try $try"
  done
  exit 1
}

go list ./kernel/... | grep -v -e '/kernel/yaegi$' -e '/kernel/session$' |
  xargs go test -race -short -skip "$meet" ./apmlgpu ./apmlgpu/internal/... ./internal/spatial ./internal/ratio
session
go test -race -short -run 'CPU/(threads|hostile)$' ./apmlgpu/losstest
go test -race -run AtOnce ./plots
