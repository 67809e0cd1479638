#!/bin/sh
# fuzz.sh: each fuzz target for FUZZTIME, starting from its kept seeds.
set -eu
cd "$(dirname "$0")/.."
time=${FUZZTIME:-5s}
mkdir -p out/ci
git ls-files '*_test.go' | xargs grep -lE '^func Fuzz' | while read -r file; do
  dir=$(dirname "$file")
  sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' "$file" | while read -r target; do
    echo "$dir $target"
    go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -parallel 2 >out/ci/fuzz.txt 2>&1 </dev/null ||
      { tail -40 out/ci/fuzz.txt; exit 1; }
  done
done
