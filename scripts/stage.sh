#!/bin/sh
# stage.sh STAGE MINUTES: runs `make STAGE` with a limit, its output on the terminal and in out/ci/STAGE.log.
set -u
stage=$1 minutes=$2
mkdir -p out/ci
printf '\n== %s ==\n' "$stage"
if command -v timeout >/dev/null 2>&1; then
  set -- timeout -k 10 "$((minutes * 60))" make "$stage"
else
  set -- make "$stage"
fi
{ "$@" 2>&1; echo $? >"out/ci/$stage.rc"; } | tee "out/ci/$stage.log"
rc=$(cat "out/ci/$stage.rc")
rm -f "out/ci/$stage.rc"
[ "$rc" -ne 124 ] || echo "$stage: not over after $minutes minutes"
exit "$rc"
