#!/bin/sh
# pack.sh: fills build/gpu with what tests the GPU backend on a machine that has nothing but an NVIDIA driver: test
# programs, recorded hashes, test.sh and bench.sh. Needs Go and a C compiler here, nothing there.
set -eu
cd "$(dirname "$0")/../../.."
out=build/gpu
rm -rf "$out"
mkdir -p "$out/testdata"
go test -c -ldflags '-s -w' -o "$out/cuda.test" ./cuda
go test -c -ldflags '-s -w' -o "$out/losstest.test" ./apmlgpu/losstest
cp cuda/testdata/golden.json "$out/testdata/"
cp cuda/tools/gpu/test.sh cuda/tools/gpu/bench.sh "$out/"
git rev-parse HEAD >"$out/commit" 2>/dev/null || echo unknown >"$out/commit"
du -sh "$out"
