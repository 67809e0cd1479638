#!/bin/sh
# node.sh: installs the browser tests' packages from their lock, once for each content of it.
set -eu
cd "$(dirname "$0")/../tools/browser"
stamp=node_modules/.gondola-lock
want=$(cksum <package-lock.json)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then exit 0; fi
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-progress
printf '%s' "$want" >"$stamp"
