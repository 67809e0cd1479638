#!/bin/sh
# browser.sh: JupyterLab from the venv, driven in headless Chromium by node's test runner.
set -eu
cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
bin/gondola install --prefix .venv
if [ -z "${CHROMIUM:-}" ]; then
  for c in chromium chromium-browser google-chrome; do
    if command -v "$c" >/dev/null 2>&1; then CHROMIUM=$(command -v "$c") && break; fi
  done
fi
export CHROMIUM
mkdir -p out/browser
cd tools/browser
exec node --test
