#!/bin/sh
# lint.sh: formats, vet, shell scripts, the Python lock, the rules of the house and of the docs.
set -eu
cd "$(dirname "$0")/.."
bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
[ -z "$bad" ] || { echo "not formatted; run gofmt -w on:"; echo "$bad"; exit 1; }
go vet ./...
shellcheck scripts/*.sh cuda/tools/*.sh cuda/tools/gpu/*.sh .ci/run
sed -n 's/^\([a-z-]*\)==\([0-9.]*\).*/\1==\2/p' tools/python/requirements.in | while read -r pin; do
  grep -q "^$pin " tools/python/requirements.txt || {
    echo "tools/python/requirements.txt lacks $pin: make it again by the command on top of requirements.in"
    exit 1
  }
done
go test .
