#!/bin/sh
# test.sh: judges the GPU backend on this machine's device, from the folder that pack.sh has filled: the emulator's
# bits, faults and cancel, then losses against the CPU. Logs and a table go to OUT, or gpu-out beside this file; the
# table is printed last, and the exit code is not zero if a step failed. Nothing of the device's settings is touched.
# QUICK=1 takes small clouds, for a stand-in driver.
set -u
cd "$(dirname "$0")" || exit 1
out=${OUT:-gpu-out}
mkdir -p "$out"
failed=0
: >"$out/table.txt"
step() { # NAME SECONDS COMMAND...: one row of the table
  name=$1 seconds=$2
  shift 2
  start=$(date +%s)
  timeout "$seconds" "$@" >"$out/$name.log" 2>&1
  rc=$?
  result=passed
  [ $rc -eq 0 ] || { result="FAILED ($rc)"; failed=$((failed + 1)); }
  [ $rc -ne 124 ] || result="FAILED (not over after $seconds s)"
  printf '%-12s %-34s %4s s\n' "$name" "$result" "$(($(date +%s) - start))" >>"$out/table.txt"
}
step device 60 ./cuda.test -test.run '^TestDevice$' -device -test.v
long=-long
[ -z "${QUICK:-}" ] || long=
# shellcheck disable=SC2086 # a flag or none
step losses 240 ./losstest.test -test.run '^TestGPU$' -device $long
if [ $failed -gt 0 ]; then
  grep -hE 'FAIL|want|hint|GPU|CUDA' "$out"/*.log | head -n 40
fi
printf 'commit %s, %s\n' "$(cat commit)" "$(uname -srm)"
grep -h 'device: ' "$out/device.log" | head -n 1
cat "$out/table.txt"
[ $failed -eq 0 ]
