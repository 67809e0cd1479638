#!/bin/sh
# lab.sh: from a fresh checkout to a running JupyterLab on notebooks/: checks, builds, makes the venv,
# installs the kernel into it, starts the server on loopback with a token and prints the URL.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
unset PYTHONPATH PYTHONHOME
say() { printf 'lab: %s\n' "$*" >&2; }

mkdir -p .cache
setup() {
  sh scripts/need.sh lab
  say "building bin/gondola (the first time takes minutes)"
  make -s build
  say "setting up .venv"
  sh scripts/venv.sh
  bin/gondola install --prefix .venv --env "GONDOLA_SRC=$root"
}
if command -v flock >/dev/null 2>&1; then # two make lab at once: one sets up, the other waits
  exec 9>.cache/setup.lock
  flock -n 9 || { say "another set-up runs in this folder; waiting for it"; flock 9; }
  setup
  flock -u 9
  exec 9>&-
else
  setup
fi

if [ ! -w "${HOME:-/nonexistent}" ]; then # a read-only home: Jupyter's own folders go beside us
  export JUPYTER_DATA_DIR="$root/.cache/jupyter/data" JUPYTER_RUNTIME_DIR="$root/.cache/jupyter/runtime"
  export JUPYTER_CONFIG_DIR="$root/.cache/jupyter/config" IPYTHONDIR="$root/.cache/jupyter/ipython"
  mkdir -p "$JUPYTER_DATA_DIR" "$JUPYTER_RUNTIME_DIR" "$JUPYTER_CONFIG_DIR" "$IPYTHONDIR"
fi
export JUPYTER_CONFIG_PATH="$root/tools/jupyter"
export JUPYTER_PREFER_ENV_PATH=1

port=$(.venv/bin/python - "${PORT:-8888}" <<'PY'
import socket, sys
for port in range(int(sys.argv[1]), int(sys.argv[1]) + 200):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break
PY
)
JUPYTER_TOKEN=${JUPYTER_TOKEN:-$(.venv/bin/python -c 'import secrets; print(secrets.token_hex(24))')}
export JUPYTER_TOKEN
url="http://127.0.0.1:$port/lab?token=$JUPYTER_TOKEN"

# answer_yes: the server asks on Ctrl-C, and goes on when nobody answers within seconds
set -- --ServerApp.ip=127.0.0.1 --ServerApp.answer_yes=True --ServerApp.port="$port" --ServerApp.root_dir="$root/notebooks"
if [ "$(id -u)" = 0 ]; then
  say "you are root: JupyterLab runs as root, on loopback only and with its token"
  set -- --allow-root "$@"
fi
if [ -z "${SSH_CONNECTION:-}" ] && { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; }; then
  set -- "$@" --ServerApp.open_browser=True
else
  say "no display here: open the address below; from elsewhere first: ssh -L $port:127.0.0.1:$port THIS-MACHINE"
fi
say "JupyterLab: $url"
say "Ctrl-C stops it"
# shellcheck disable=SC2086 # LAB_ARGS is a list of options
exec .venv/bin/jupyter-lab "$@" ${LAB_ARGS:-}
