#!/bin/sh
# ptxas.sh [--write]: NVIDIA's assembler over cuda/apml.ptx for sm_75, 80, 90 and 100: no spill, and registers of at
# most those in cuda/tools/regs.txt plus 4; --write writes that file. It takes PTXAS, a ptxas in PATH, or fetches
# the wheel of the Python index into .cache/ptxas; without any it says so and is no failure.
set -eu
cd "$(dirname "$0")/../.."
wheel=nvidia-cuda-nvcc==13.5.37
folder=.cache/ptxas
find_ptxas() {
  if [ -n "${PTXAS:-}" ]; then echo "$PTXAS"; return; fi
  for p in "$folder"/nvidia/*/bin/ptxas; do [ ! -x "$p" ] || { echo "$p"; return; }; done
  command -v ptxas || true
}
ptxas=$(find_ptxas)
if [ -z "$ptxas" ]; then
  python=python3
  [ ! -x .venv/bin/python ] || python=.venv/bin/python
  "$python" -m pip install -q --no-deps --target "$folder" "$wheel" >"$folder.log" 2>&1 || {
    echo "ptxas: not checked: no ptxas here, and $wheel cannot be fetched: $(tail -n 1 "$folder.log")"
    exit 0
  }
  ptxas=$(find_ptxas)
fi
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
for arch in sm_75 sm_80 sm_90 sm_100; do
  "$ptxas" -arch=$arch -v cuda/apml.ptx -o /dev/null 2>&1 | tr -d "'" | awk -v arch=$arch '
    /Compiling entry function/ { kernel = $7 }
    /bytes stack frame/ { spill = $5 + $9 }
    /Used .* registers/ { print arch, kernel, $5, spill }' >>"$seen"
done
kernels=$(grep -c '^KERNEL(' cuda/kernels.def)
[ "$(wc -l <"$seen")" -eq $((4 * kernels)) ] || { echo "ptxas: not all kernels were assembled"; exit 1; }
if [ "${1:-}" = --write ]; then
  release=$("$ptxas" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  { echo "# target, kernel, registers: by ptxas $release, ptxas.sh --write"
    awk '{ print $1, $2, $3 }' "$seen"; } >cuda/tools/regs.txt
  exit 0
fi
awk 'NR == FNR { if ($1 !~ /^#/) most[$1 " " $2] = $3 + 4; next }
  $4 > 0 { print "ptxas: " $2 " for " $1 " has " $4 " bytes of spills"; bad = 1 }
  !(($1 " " $2) in most) { print "ptxas: " $2 " for " $1 " is not in cuda/tools/regs.txt"; bad = 1; next }
  { limit = most[$1 " " $2] }
  $3 > limit { print "ptxas: " $2 " for " $1 " takes " $3 " registers, recorded are " limit - 4; bad = 1 }
  END { exit bad }' cuda/tools/regs.txt "$seen"
echo "ptxas: $kernels kernels for 4 targets: no spill, registers as recorded"
