#!/bin/sh
# need.sh GOAL: checks what GOAL (build, lab, test) needs on this machine, installs by apt or brew what
# is missing where it may (as root, or by sudo that asks nothing), else prints one command for all of it
# and exits 3. NO_INSTALL=1 forbids installing.
set -eu
goal=${1:-build}

say() { printf 'need: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
# runs: the command really runs (a version manager may leave a shim that only prints an error)
runs() { have "$1" && "$@" >/dev/null 2>&1; }

python_ok() {
  for p in python3.13 python3.12 python3.11 python3.10 python3; do
    runs "$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' && return 0
  done
  return 1
}
# cc_ok: there is a C compiler and it finds the C library's headers (gcc does not bring them)
cc_ok() { have cc && echo '#include <stdlib.h>' | cc -E -x c - >/dev/null 2>&1; }
node_ok() { runs node -e 'process.exit(+(parseInt(process.versions.node) < 18))' && runs npm --version; }
chromium_ok() {
  [ -n "${CHROMIUM:-}" ] && runs "$CHROMIUM" --version && return 0
  for c in chromium chromium-browser google-chrome; do runs "$c" --version && return 0; done
  return 1
}

# missing: packages of this system's package manager that would bring what lacks
missing() {
  cc_ok || echo gcc libc6-dev
  have pkg-config || echo pkg-config
  { have pkg-config && pkg-config --exists libzmq; } || echo libzmq3-dev
  case $goal in lab | test) python_ok || echo python3 python3-venv ;; esac
  if [ "$goal" = test ]; then
    node_ok || { have node || echo nodejs; have npm || echo npm; }
    chromium_ok || echo chromium
    have shellcheck || echo shellcheck
    have c++ || echo g++ # the emulator of the GPU's kernels
    # the PTX is committed: only CI makes it again, where there is the compiler that made it
    if [ -n "${CI:-}" ] && ! have clang++-19 && apt-cache show clang-19 >/dev/null 2>&1; then echo clang-19; fi
  fi
}

brew_names() {
  for p in "$@"; do
    case $p in
      gcc | g++ | libc6-dev | python3-venv) ;;
      libzmq3-dev) echo zeromq ;;
      python3) echo python ;;
      nodejs | npm) echo node ;;
      *) echo "$p" ;;
    esac
  done | sort -u | tr '\n' ' '
}

if ! have go; then
  say "Go is not in PATH: install Go 1.21 or newer (go.dev/doc/install); it fetches the toolchain of go.mod itself"
  exit 3
fi
minor=$(go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
if [ "${minor:-99}" -lt 21 ]; then
  say "$(go env GOVERSION) is too old: install Go 1.21 or newer (go.dev/doc/install)"
  exit 3
fi

lacks=$(missing | tr '\n' ' ')
[ -n "${lacks% }" ] || exit 0

if have apt-get; then
  # shellcheck disable=SC2086 # a list of package names
  set -- apt-get install -y --no-install-recommends $lacks
  if [ -z "${NO_INSTALL:-}" ] && [ "$(id -u)" = 0 ]; then
    say "installing: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q && "$@"
  elif [ -z "${NO_INSTALL:-}" ] && have sudo && sudo -n true 2>/dev/null; then
    say "installing: sudo $*"
    sudo -n apt-get update -q && sudo -n DEBIAN_FRONTEND=noninteractive "$@"
  else
    say "missing: $lacks"
    if [ "$(id -u)" = 0 ]; then
      say "run: apt-get update && $*"
    elif have sudo; then
      say "run: sudo apt-get update && sudo $*"
    else
      say "run as root: apt-get update && $*"
    fi
    exit 3
  fi
elif have brew; then
  # shellcheck disable=SC2086
  names=$(brew_names $lacks)
  if [ -z "${NO_INSTALL:-}" ]; then
    say "installing: brew install $names"
    # shellcheck disable=SC2086
    brew install $names
  else
    say "missing; run: brew install $names"
    exit 3
  fi
else
  say "missing: $lacks (names of Debian's packages); install them with this system's package manager"
  exit 3
fi

lacks=$(missing | tr '\n' ' ')
if [ -n "${lacks% }" ]; then
  say "still missing after installing: $lacks"
  say "on Ubuntu chromium is a snap that cannot see all folders: install Chrome and set CHROMIUM=its path"
  exit 3
fi
