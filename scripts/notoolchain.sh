#!/bin/sh
# notoolchain.sh: with a PATH that holds neither Go nor a C compiler, and with one that lacks the compiler only,
# what needs native code is refused by one sentence that names what is missing, and everything else works.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$root/out/notoolchain
rm -rf "$work"
mkdir -p "$work/empty" "$work/go" "$work/modules"
[ -x bin/gondola ] || { echo "notoolchain: no bin/gondola: make build"; exit 1; }
ln -s "$(go env GOROOT)/bin/go" "$work/go/go"
printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("6 x 7 =", 6*7) }\n' >"$work/plain.go.txt"
cat >"$work/typed.go.txt" <<'GO'
package main

import "fmt"

type point struct{ x, y int }

func (p point) sum() int { return p.x + p.y }

func main() { fmt.Println(point{1, 2}.sum()) }
GO

# try PATH PROGRAM: its output, both streams, and behind them its exit code
try() {
  code=0
  env PATH="$1" GOMODCACHE="$work/modules" GONDOLA_CACHE="$work/cache" "$root/bin/gondola" run - <"$2" 2>&1 || code=$?
  echo "exit $code"
}

want() { # WHAT TEXT PATTERN
  printf '%s\n' "$2" | grep -q -- "$3" || { printf 'notoolchain: %s: no "%s" in:\n%s\n' "$1" "$3" "$2"; exit 1; }
}

version=$(go env GOVERSION | sed 's/^go/go /')
for path in "$work/empty" "$work/go"; do
  missing="$version not found in PATH"
  [ "$path" = "$work/empty" ] || missing="the C compiler .* not found in PATH"
  got=$(try "$path" "$work/plain.go.txt")
  want "a program without types" "$got" '^6 x 7 = 42$'
  want "a program without types" "$got" '^exit 0$'
  got=$(try "$path" "$work/typed.go.txt")
  want "a program with a type" "$got" "type point"
  want "a program with a type" "$got" "$missing"
  want "a program with a type" "$got" "(gondola doctor)"
  want "a program with a type" "$got" '^exit 1$'
  if printf '%s\n' "$got" | grep -q '^3$'; then
    echo "notoolchain: it ran all the same"
    exit 1
  fi
  got=$(env PATH="$path" GOMODCACHE="$work/modules" GONDOLA_CACHE="$work/cache" bin/gondola doctor || true)
  want doctor "$got" "^lack  native"
  want doctor "$got" "$missing"
  if env PATH="$path" GOMODCACHE="$work/modules" GONDOLA_CACHE="$work/cache" bin/gondola native warm 2>"$work/warm.err"; then
    echo "notoolchain: native warm did not fail"
    exit 1
  fi
  want "native warm" "$(cat "$work/warm.err")" "$missing"
  for nb in notebooks/*.ipynb; do
    env PATH="$path" GOMODCACHE="$work/modules" GONDOLA_CACHE="$work/cache" bin/gondola run -o "$work/out.ipynb" "$nb" \
      >"$work/nb.log" 2>&1 || grep -q -- "$missing.*(gondola doctor)" "$work/nb.log" ||
      { echo "notoolchain: $nb:"; tail -20 "$work/nb.log"; exit 1; }
  done
done
echo "without Go, and without gcc alone: what needs native code is refused in a sentence, all else works"
