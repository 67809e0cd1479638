#!/bin/sh
# test.sh [STAGE...]: runs the stages of the test suite in order, stops at the first that fails
# (KEEP_GOING=1 runs all), prints a table and, last, "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
all="venv node build lint gen-check ptx-check ptxas-check emu unit race nocgo notoolchain gotenth demo conform browser fuzz"
[ $# -gt 0 ] || eval "set -- $all"
rm -rf out/ci
mkdir -p out/ci

budget() { # minutes after which a stage is ended
  case $1 in unit | race | gotenth) echo 20 ;; build | demo | conform | browser) echo 10 ;; *) echo 6 ;; esac
}

passed=0 failed=0 table=
for stage in "$@"; do
  if [ $failed -gt 0 ] && [ -z "${KEEP_GOING:-}" ]; then
    table="$table$stage|not run|
"
    continue
  fi
  start=$(date +%s)
  if sh scripts/stage.sh "$stage" "$(budget "$stage")"; then
    result=passed passed=$((passed + 1))
  else
    result=FAILED failed=$((failed + 1))
  fi
  table="$table$stage|$result|$(($(date +%s) - start)) s
"
done
printf '\n== stages ==\n'
printf '%s' "$table" | awk -F '|' '{ printf "%-10s %-8s %s\n", $1, $2, $3 }'
[ $failed -eq 0 ] || printf 'logs: out/ci; one stage again: make test STAGES=NAME\n'
printf '%s passed, %s failed\n' $passed $failed
[ $failed -eq 0 ]
