#!/usr/bin/env bash
# Does `ab` tell a slower kernel from one that lies elsewhere? On a GPU of compute capability 9.0:
#
#   tests/alignment/moved.sh BUILD PLUGINS [OUT]
#
# BUILD has bin/harness and lib/. PLUGINS has before.so and after.so, of places.cu without and with -DCHANGED. OUT
# gets the reports. Loops of 3 KB change in their place alone, or are 0.1 % slower, too. HARNESS_PLACES=all takes all
# loops of 51 and 64 KB, else ten. Prints a table, and PASS or FAIL. Takes 5 minutes.
set -euo pipefail
build=$(realpath "${1:?BUILD}") plugins=$(realpath "${2:?PLUGINS}")
out=${3:-moved-out}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
harness=$build/bin/harness

mkdir "$work/places"
cd "$work/places"
git init -q .
git config user.email nobody@example.org
git config user.name nobody
small=$(seq -s, -f place_%g 31 37),$(seq -s, -f slight_%g 41 47)
large=$(seq -s, -f place_%g 1 3),$(seq -s, -f place_%g 11 13),$(seq -s, -f slower_%g 21 24)
[ "${HARNESS_PLACES:-}" != all ] || large=$(seq -s, -f place_%g 1 20),$(seq -s, -f slower_%g 21 24)
suite() { # suite NAME VARIANTS TURNS MARGIN
  cat >"$1.yaml" <<YAML
version: 2
name: $1
modules: [build/libplaces.so]
defaults:
  gate: {margin: $4}
  sampling: {processes: 5, placements: 2, samples: 10, timeout: 60s}
cases:
  - workload: turning
    variants: [$2]
    axes: {turns: $3}
YAML
}
suite small "$small" 1000 0.04%
suite large "$large" 100 0.5%
echo build >.gitignore
for side in before after; do
  echo $side >which
  git add -A
  git commit -qm $side
done
mkdir -p build
cp "$plugins/after.so" build/libplaces.so
for name in small large; do
  status=0
  # The command runs in a worktree of each commit.
  # shellcheck disable=SC2016
  PLUGINS=$plugins timeout 230 "$harness" ab $name.yaml --baseline HEAD~1 --current HEAD --device cuda --budget 130s \
    --build 'mkdir -p build && cp "$PLUGINS/$(cat which).so" build/libplaces.so' --color never \
    --report json="$out/$name.json" >"$out/$name.txt" 2>&1 || status=$?
  echo "ab of $name: exit $status"
done
python3 "$here/verdicts.py" --expect=moved,hidden --slower=4 "--kernels=$small,$large" small="$out/small.json" large="$out/large.json"
