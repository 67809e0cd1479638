#!/bin/sh
# conform.sh: Jupyter's conformance tests against the installed kernelspec, then every notebook by nbclient
# and nbconvert against the same notebook by gondola run; between them the kernel behind a Jupyter server.
set -eu
cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
bin/gondola install --prefix .venv
export JUPYTER_PREFER_ENV_PATH=1 PATH="$PWD/.venv/bin:$PATH"
export GONDOLA_HISTORY=off
python tools/python/test_protocol.py -v
python tools/python/test_gateway.py
python tools/python/course.py bin/gondola out/conform notebooks/[0-9]*.ipynb
