#!/bin/sh
# peers.sh: makes .cache/peers, the venv of the libraries that the benchmark of losses is compared with, from the lock in
# bench/peers, with hashes. It sees the packages of the system's Python: torch comes from there, or from a CPU wheel in
# WHEELS=folder (or .cache/wheels). What is absent is said; the benchmark leaves its rows out, with the reason.
set -eu
cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
lock=bench/peers/requirements.txt

python=
for p in /usr/bin/python3 python3.12 python3.11 python3.10 python3; do
  if command -v "$p" >/dev/null 2>&1 &&
    "$p" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info < (3, 13))' >/dev/null 2>&1; then
    python=$p
    "$p" -c 'import torch' >/dev/null 2>&1 && break
  fi
done
[ -n "$python" ] || { echo "peers: no Python 3.10 to 3.12 with venv; run: sh scripts/need.sh lab" >&2; exit 3; }

rm -rf .cache/peers
mkdir -p .cache
"$python" -m venv --system-site-packages .cache/peers
wheels=.cache/wheels
[ -n "${WHEELS:-}" ] && wheels=$WHEELS
set -- -q --disable-pip-version-check install --timeout 10 --retries 1 --only-binary :all:
[ ! -d "$wheels" ] || set -- "$@" --find-links "$wheels"
.cache/peers/bin/python -m pip "$@" --require-hashes -r "$lock" ||
  echo "peers: numpy and scipy cannot be installed (network, disk full?); with a folder of wheels: make peers WHEELS=folder" >&2
.cache/peers/bin/python -m pip "$@" --no-deps --require-hashes -r bench/peers/entropic.txt ||
  echo "peers: jax, OTT-JAX and GeomLoss cannot be installed; the rows of Sinkhorn beside them are left out" >&2
if ! .cache/peers/bin/python -c 'import torch' >/dev/null 2>&1; then
  [ -d "$wheels" ] && .cache/peers/bin/python -m pip "$@" --no-index torch ||
    echo "peers: no torch: install python3-torch, or give a CPU wheel by make peers WHEELS=folder" >&2
fi
for m in numpy scipy torch ot jax ott geomloss; do
  .cache/peers/bin/python -c "import $m; print('$m', $m.__version__)" 2>/dev/null || echo "$m: absent"
done
