#!/bin/sh
# bench.sh: times whole calls with their copies on this machine's device, three times each, from the folder that pack.sh
# has filled. The rows go to OUT, or gpu-out beside this file, and are printed last. It measures no ceilings and no
# counters, and changes nothing of the device's settings. QUICK=1 takes the smallest sizes, for a stand-in driver.
set -u
cd "$(dirname "$0")" || exit 1
out=${OUT:-gpu-out}
mkdir -p "$out"
short=
[ -z "${QUICK:-}" ] || short="-test.short -test.benchtime=1x"
# shellcheck disable=SC2086 # a list of flags
timeout 420 ./cuda.test -test.run '^$' -test.bench Device -test.count 3 -device $short >"$out/gpu-bench.txt" 2>&1
rc=$?
printf 'commit %s, %s\n' "$(cat commit)" "$(uname -srm)"
grep -E 'ns/op|FAIL|GPU|CUDA' "$out/gpu-bench.txt" | head -n 58
exit $rc
