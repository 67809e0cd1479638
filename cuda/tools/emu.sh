#!/bin/sh
# emu.sh [--asan]: the kernels' tests on the CPU: plain, or with the address and undefined-behaviour sanitizers.
# Needs g++ (or CXX); no GPU and no NVIDIA file.
set -eu
cd "$(dirname "$0")/.."
if [ "$(uname -m)" != x86_64 ]; then
  echo "emu: not run: the emulator knows x86-64 only, this is $(uname -m)"
  exit 0
fi
cxx=${CXX:-c++}
out=../.cache/emu
mkdir -p "$out"
flags="-std=c++17 -Wall -Wextra -Wno-unknown-pragmas -Wno-unused-function -ffp-contract=off"
kind=plain
if [ "${1:-}" = --asan ]; then
  kind=asan
  flags="$flags -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
else
  flags="$flags -O2"
fi
for t in parts apml soft; do
  # shellcheck disable=SC2086 # a list of flags
  "$cxx" $flags "emu/${t}_test.cpp" -o "$out/$t-$kind"
  echo "emu: $t, $kind"
  "$out/$t-$kind" small
done
