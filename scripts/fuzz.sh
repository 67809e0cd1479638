#!/bin/sh
# fuzz.sh: each fuzz target from its kept seeds. Without FUZZTIME it tries a number of inputs that a fixed seed
# draws, so that a build fails by what was changed and not by the luck of a draw; with FUZZTIME=60s it looks for
# new ones, drawn anew each time.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out/ci
found=$PWD/out/ci/fuzz
rm -rf "$found"
if [ -n "${FUZZTIME:-}" ]; then
  set -- -fuzztime "$FUZZTIME" -parallel 2
else
  export GODEBUG=fuzzseed=1
  set -- -parallel 1 -test.fuzzcachedir="$found"
fi

# Go 1.26 at times takes the end of its own -fuzztime for a failure of the target (go.dev/issue/75804,
# mended in 1.27): only that, with no input kept, is tried again.
fuzz() {
  dir=$1 target=$2
  shift 2
  [ -n "${FUZZTIME:-}" ] || case $target in
  FuzzFigure | FuzzSmall | FuzzCheck) set -- -fuzztime 1000x "$@" ;; # tens to hundreds a second
  *) set -- -fuzztime 20000x "$@" ;;
  esac
  for try in 1 2 3; do
    go test "./$dir" -run '^$' -fuzz "^$target\$" "$@" >out/ci/fuzz.txt 2>&1 </dev/null && return
    grep -qE 'Failing input|panic:|fatal error:' out/ci/fuzz.txt && break
    grep -qx '    context deadline exceeded' out/ci/fuzz.txt || break
    echo "$dir $target: the tool took its own time limit for a failure; try $try"
  done
  tail -40 out/ci/fuzz.txt
  exit 1
}

git ls-files '*_test.go' | xargs grep -lE '^func Fuzz' | while read -r file; do
  dir=$(dirname "$file")
  sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' "$file" | while read -r target; do
    echo "$dir $target"
    fuzz "$dir" "$target" "$@"
  done
done
