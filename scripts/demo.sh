#!/bin/sh
# demo.sh: runs every notebook by gondola run, without browser or Python, into out/demo, with an index page.
set -eu
cd "$(dirname "$0")/.."
mkdir -p out/demo
index=out/demo/index.html
list=
for nb in notebooks/[0-9]*.ipynb; do
  name=$(basename "$nb" .ipynb)
  echo "demo: $name"
  bin/gondola run --html "out/demo/$name.html" -o "out/demo/$name.ipynb" "$nb"
  list="$list $name"
done
{
  printf '<!doctype html><html lang="en"><meta charset="utf-8"><title>Gondola: the notebooks</title>\n'
  printf '<link rel="icon" href="data:,">\n'
  printf '<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}img{max-width:100%%;border:1px solid #ddd}</style>\n'
  printf '<h1>Gondola: the notebooks</h1>\n'
  for name in $list; do
    printf '<h2><a href="%s.html">%s</a></h2>\n' "$name" "$name"
    # every picture of the page, as it stands there
    grep -oE '<img [^>]*src="data:image/png;base64,[^"]*"[^>]*>' "out/demo/$name.html" || true
  done
  printf '</html>\n'
} >"$index"
echo "demo: open $index"
