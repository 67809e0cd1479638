#!/bin/sh
# check.sh: makes the pack for a card in a fresh copy of the committed tree, and runs its scripts in a folder that has
# nothing else, with an empty environment, over the stand-in driver.
set -eu
cd "$(dirname "$0")/../../.."
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
mkdir "$t/tree"
git archive HEAD | tar -x -C "$t/tree"
sh "$t/tree/cuda/tools/gpu/pack.sh"
"${CXX:-c++}" -std=c++17 -O2 -w -ffp-contract=off -fPIC -shared -fvisibility=hidden "$t/tree/cuda/emu/fakecuda.cpp" \
  -o "$t/libcuda.so.1"
mv "$t/tree/build/gpu" "$t/gpu"
rm -rf "$t/tree"
cd "$t/gpu"
for script in test.sh bench.sh; do
  env -i PATH=/usr/bin:/bin OUT="$t/out" QUICK=1 GONDOLA_LIBCUDA="$t/libcuda.so.1" sh "./$script"
done
