#!/bin/sh
# ptx.sh [--check | --lines]: makes cuda/apml.ptx from cuda/apml.cu by the clang that cuda/PTX_TOOLCHAIN names.
# --check makes it in another folder and compares bytes; without that clang it says so and, in CI, fails.
# --lines makes build/apml-lines.ptx with line tables for a profiler, never committed.
set -eu
cd "$(dirname "$0")/../.."
want=$(cat cuda/PTX_TOOLCHAIN)
clang=${CLANG:-clang++-19}
skip() {
  echo "ptx: $1: $2"
  [ -z "${CI:-}" ] || exit 1
  exit 0
}
if ! command -v "$clang" >/dev/null 2>&1; then
  [ "${1:-}" = --check ] || { echo "ptx: no $clang (Debian: clang-19)"; exit 1; }
  skip "not checked" "no $clang (Debian: clang-19)"
fi
case $("$clang" --version | head -n 1) in
  *"$want"*) ;;
  *)
    [ "${1:-}" = --check ] || { echo "ptx: $clang is not $want"; exit 1; }
    skip "not checked" "$clang is not $want, which cuda/PTX_TOOLCHAIN names"
    ;;
esac

compile() { # FOLDER OUT FLAG...: apml.cu of FOLDER; no -g, which would put paths into the file
  folder=$1 out=$2
  shift 2
  (cd "$folder" && "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -DAP_BARE -O3 \
    -std=c++17 -ffp-contract=off -Xclang -target-feature -Xclang +ptx75 -Wall -Wno-unknown-cuda-version "$@" \
    -S apml.cu -o "$out")
}
sources() { # the files in the order of their includes
  (cd "$1" && cat abi.h kernel/dev.h kernel/common.h kernel/near2.h kernel/mask.h kernel/scan.h kernel/exact.h \
    kernel/value.h kernel/sink.h kernel/grad.h kernel/reduce.h kernel/sort.h kernel/tree.h kernel/near1.h \
    kernel/soft.h apml.cu)
}
whole() { # FOLDER OUT
  raw=$(mktemp)
  compile "$1" "$raw"
  {
    echo "// Code generated from apml.cu by tools/ptx.sh; DO NOT EDIT."
    echo
    cat "$raw"
    echo "// sources sha256:$(sources "$1" | sha256sum | cut -d ' ' -f 1)"
  } >"$2"
  rm -f "$raw"
}

case ${1:-} in
  --check)
    t=$(mktemp -d)
    trap 'rm -rf "$t"' EXIT
    cp -r cuda "$t/other"
    whole "$t/other" "$t/apml.ptx"
    cmp "$t/apml.ptx" cuda/apml.ptx || { echo "ptx: cuda/apml.ptx is not what its sources give: make ptx"; exit 1; }
    echo "ptx: same bytes"
    ;;
  --lines)
    mkdir -p build
    compile cuda "$PWD/build/apml-lines.ptx" -gline-tables-only
    echo "ptx: build/apml-lines.ptx"
    ;;
  *) whole cuda cuda/apml.ptx ;;
esac
