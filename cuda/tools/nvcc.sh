#!/bin/sh
# nvcc.sh: nvcc compiles cuda/apml.cu, a second reading of the dialect. It takes NVCC, an nvcc in PATH, or fetches the
# wheels of the Python index into .cache/nvcc; without any it says so and is no failure. Registers are printed, not
# judged.
set -eu
cd "$(dirname "$0")/../.."
wheels="nvidia-cuda-nvcc==13.5.37 nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime"
folder=.cache/nvcc
find_nvcc() {
  if [ -n "${NVCC:-}" ]; then echo "$NVCC"; return; fi
  for p in "$folder"/nvidia/*/bin/nvcc; do [ ! -x "$p" ] || { echo "$PWD/$p"; return; }; done
  command -v nvcc || true
}
nvcc=$(find_nvcc)
if [ -z "$nvcc" ]; then
  mkdir -p .cache
  python=python3
  [ ! -x .venv/bin/python ] || python=.venv/bin/python
  # shellcheck disable=SC2086 # a list of wheels
  "$python" -m pip install -q --no-deps --target "$folder" $wheels >"$folder.log" 2>&1 || {
    echo "nvcc: not checked: no nvcc here, and its wheels cannot be fetched: $(tail -n 1 "$folder.log")"
    exit 0
  }
  nvcc=$(find_nvcc)
fi
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
for arch in 75 80 90 100; do
  "$nvcc" -ccbin "$(command -v "${CXX:-c++}")" -std=c++17 -O3 -fmad=false -arch="sm_$arch" -Xptxas -v -cubin cuda/apml.cu \
    -o "$t/apml.cubin" >"$t/log" 2>&1 || { cat "$t/log"; exit 1; }
  sed -n "s/.*Compiling entry function '\\([a-z0-9_]*\\)'.*/\\1/p; s/.*Used \\([0-9]*\\) registers.*/\\1/p; \
s/.*bytes stack frame, \\([0-9]*\\) bytes spill stores.*/\\1/p" "$t/log" | paste - - - |
    awk -v arch="$arch" '{ n++; if ($3 > most) most = $3; spills += $2 }
      END { printf "nvcc: sm_%s, %d kernels, most registers %d, %d bytes of spills\n", arch, n, most, spills }'
done
