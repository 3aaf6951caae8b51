#!/usr/bin/env bash
# harness plot: real samples as SVG files, and mistakes told with what would be right.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for name in main head; do
  expect 0 "$HARNESS" import "$data/h200/$name.jsonl" --suite probe --as $name.json
done

# Mistakes in the kind are told whatever this build has.
expect 2 "$HARNESS" plot main.json --kind timelime --output x.svg
names timeline
expect 2 "$HARNESS" plot main.json --kind interval --case gelu/mode=hot --output x.svg
names --baseline
expect 2 "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --output p3.gif
names p3.gif .svg .png

"$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --output x.svg >"$printed" 2>&1
if grep -qF "this build has no plots" "$printed"; then
  echo "skipped: the plots themselves, because this build has none"
  finish
fi
if ! command -v node >/dev/null; then
  names Node.js
  echo "skipped: the plots themselves, because there is no node here"
  finish
fi

expect 2 "$HARNESS" plot main.json --kind ecdf --output y.svg
names --case
expect 2 "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hit --output y.svg
names gelu/mode=hot
expect 2 "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --metric gpu_tim --output y.svg
names gpu_time
expect 2 "$HARNESS" plot main.json --kind speedup --theme dork
expect 2 "$HARNESS" plot main.json --kind speedup --width 5
expect 2 "$HARNESS" plot none.json --kind speedup
expect 2 "$HARNESS" plot main.json --kind speedup --output /proc/none/x.svg
absent y.svg
# An import names no reference, so there is no speedup to draw.
expect 2 "$HARNESS" plot main.json --kind speedup --output y.svg
names speedup
absent y.svg
expect 2 env PATH=/nowhere "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --output y.svg
names Node.js PATH

# Wildcards stand for the one case that they match.
expect 0 "$HARNESS" plot main.json --kind ecdf --case 'g?lu/*=hot' --output z.svg
cmp -s x.svg z.svg || problem "a wildcard drew something else than the case's name"
expect 2 "$HARNESS" plot main.json --kind ecdf --case '*' --output y.svg
absent y.svg

is_svg() {
  python3 - "$@" <<'PY' || problem "$1 is no SVG that says $2"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
text = " ".join(root.itertext())
for wanted in sys.argv[2:]:
    assert wanted in text, text[:2000]
PY
}

is_svg x.svg gelu/mode=hot
expect 0 "$HARNESS" plot head.json --baseline main.json --kind interval --case gelu/mode=hot --margin 0.5% \
  --theme dark --width 900 --output interval.svg
is_svg interval.svg gelu/mode=hot
expect 0 "$HARNESS" plot head.json --baseline main.json --kind distribution --case gelu/mode=hot
cp "$printed" printed.svg && is_svg printed.svg gelu/mode=hot

# The kinds that the program knows are those that plot.mjs draws: it refuses none of them as unknown.
for kind in $("$HARNESS" plot --help | sed -n '/^Kinds:/,/^A plot/s/^  \([a-z]*\) .*/\1/p'); do
  "$HARNESS" plot head.json --baseline main.json --kind "$kind" --case gelu/mode=hot --output kind.svg >"$printed" 2>&1
  silent_about "unknown plot"
  drawn="${drawn:-} $kind"
done
[ "$(wc -w <<<"${drawn:-}")" -ge 9 ] || problem "too few kinds in --help:${drawn:-}"

if command -v rsvg-convert >/dev/null; then
  expect 0 "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --output x.png
  head -c 8 x.png | od -An -tx1 | grep -q "89 50 4e 47" || problem "x.png is no PNG"
  expect 0 "$HARNESS" plot main.json --kind ecdf --case gelu/mode=hot --png --output y.picture
  cmp -s x.png y.picture || problem "--png wrote something else than a name in .png"
else
  echo "skipped: PNG, because there is no rsvg-convert here"
fi
finish
