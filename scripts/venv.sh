#!/bin/sh
# venv.sh: makes .venv from tools/python/requirements.txt, with hashes, once for each content of the lock
# and each Python. WHEELS=folder (or .cache/wheels) installs without a network.
set -eu
cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
lock=tools/python/requirements.txt

python=
for p in python3.13 python3.12 python3.11 python3.10 python3; do
  if command -v "$p" >/dev/null 2>&1 &&
    "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
    python=$p
    break
  fi
done
[ -n "$python" ] || { echo "venv: no Python 3.10 or newer with venv; run: sh scripts/need.sh lab" >&2; exit 3; }

stamp=.cache/stamp/venv
want="$(cksum <"$lock") $("$python" -c 'import sys; print(sys.version)' | tr '\n' ' ') $PWD"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && .venv/bin/python -c 'import jupyterlab' 2>/dev/null; then
  exit 0
fi
[ -d .venv ] && echo "venv: making .venv anew (another lock or Python, or not finished)" >&2
rm -rf .venv "$stamp"
mkdir -p .cache/stamp
"$python" -m venv .venv

from=
[ -d .cache/wheels ] && from=.cache/wheels
[ -n "${WHEELS:-}" ] && from=$WHEELS
set -- --require-hashes --only-binary :all: -r "$lock"
[ -z "$from" ] || set -- --no-index --find-links "$from" "$@"
fail() {
  echo "venv: packages cannot be installed into $PWD/.venv (network, disk full?)" >&2
  echo "venv: with a folder of wheels: make lab WHEELS=folder" >&2
  exit 3
}
# uv installs the same lock in seconds; pip does it where uv cannot.
sed -n '/^uv==/,/[^\\]$/p' "$lock" >.cache/uv.txt
if .venv/bin/python -m pip -q --disable-pip-version-check install --timeout 10 --retries 1 \
  ${from:+--no-index --find-links "$from"} --require-hashes --only-binary :all: -r .cache/uv.txt &&
  VIRTUAL_ENV=$PWD/.venv .venv/bin/uv pip install -q "$@"; then
  :
else
  .venv/bin/python -m pip -q --disable-pip-version-check install --timeout 10 --retries 1 "$@" || fail
fi
printf '%s' "$want" >"$stamp"
