#!/bin/sh
# nocgo.sh: the build without a C compiler does everything but serve Jupyter, and says so.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out
CGO_ENABLED=0 go build -o out/gondola-nocgo ./cmd/gondola
CGO_ENABLED=0 go test -short ./kernel/transport ./kernel/native ./kernel/server ./kernel/wire ./cloud/... ./apmlgpu/... ./cmd/...
# by stdin: a Go file below this folder would be a package of the module in the next run
got=$(out/gondola-nocgo run - <<'GO'
package main

import "fmt"

func main() { fmt.Println("6 x 7 =", 6*7) }
GO
)
[ "$got" = "6 x 7 = 42" ] || { echo "gondola run without cgo printed: $got"; exit 1; }
got=$(printf 'package main\n\ntype T int\n\nfunc main() { println(T(1)) }\n' | out/gondola-nocgo run - 2>&1) && exit 1
echo "$got" | grep -q "built without cgo" || { echo "a type without cgo: $got"; exit 1; }
if out/gondola-nocgo kernel -f /dev/null 2>out/nocgo.err; then
  echo "gondola kernel without cgo did not fail"
  exit 1
fi
grep -q cgo out/nocgo.err || { echo "gondola kernel without cgo does not name what is missing:"; cat out/nocgo.err; exit 1; }
echo "without cgo: run works, kernel says: $(cat out/nocgo.err)"
