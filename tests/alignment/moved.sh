#!/usr/bin/env bash
# Does `ab` tell a slower kernel from one that lies elsewhere? On a GPU of compute capability 9.0:
#
#   tests/alignment/moved.sh BUILD PLUGINS [OUT]
#
# BUILD has bin/harness and lib/. PLUGINS has before.so and after.so, of places.cu without and with -DCHANGED. OUT
# gets the reports. Prints a table, and PASS or FAIL. Takes some minutes.
set -euo pipefail
build=$(realpath "${1:?BUILD}") plugins=$(realpath "${2:?PLUGINS}")
out=${3:-moved-out}
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
harness=$build/bin/harness

# Twenty kernels that change in nothing but their place, four that take 1 % more turns.
mkdir "$work/places"
cd "$work/places"
git init -q .
git config user.email nobody@example.org
git config user.name nobody
variants=$(seq -s, -f place_%g 1 20),$(seq -s, -f slower_%g 21 24)
cat >suite.yaml <<YAML
version: 2
name: places
modules: [build/libplaces.so]
defaults:
  gate: {margin: 0.5%}
  sampling: {processes: 5, placements: 2, samples: 10, timeout: 60s}
cases:
  - workload: turning
    variants: [$variants]
    axes: {turns: 100}
YAML
echo build >.gitignore
for side in before after; do
  echo $side >which
  git add -A
  git commit -qm $side
done
mkdir -p build
cp "$plugins/after.so" build/libplaces.so
status=0
# The command runs in a worktree of each commit.
# shellcheck disable=SC2016
PLUGINS=$plugins timeout 400 "$harness" ab suite.yaml --baseline HEAD~1 --current HEAD --device cuda \
  --build 'mkdir -p build && cp "$PLUGINS/$(cat which).so" build/libplaces.so' --color never \
  --report json="$out/places.json" >"$out/places.txt" 2>&1 || status=$?
echo "ab of places: exit $status"

python3 - "$out/places.json" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
rows = {row["case"].split("/")[1]: row for row in report["cases"] if row["metric"] == "gpu_time"}
places = {name: row for name, row in rows.items() if name.startswith("place_")}
slower = {name: row for name, row in rows.items() if name.startswith("slower_")}
print(f"{'kernel':12} {'as compiled':>11} {'over places':>12} {'baseline varies by':>20}  verdict")
for name in sorted(rows, key=lambda name: int(name.split("_")[1])):
    row, over = rows[name], rows[name].get("over_places")
    change = f"{100 * (row['ratio'] - 1):+.2f} %" if row.get("ratio") else "-"
    mean = f"{100 * (over['ratio'] - 1):+.2f} %" if over else "-"
    alone = f"{100 * (over['lowest'] - 1):+.2f} to {100 * (over['highest'] - 1):+.2f} %" if over else "-"
    print(f"{name:12} {change:>11} {mean:>12} {alone:>20}  {row['verdict']}")
for remark in report.get("remarks", []):
    print("remark:", remark if isinstance(remark, str) else json.dumps(remark))
red_before = sum(row["verdict"] == "regressed" or row["verdict"] == "moved" and row["ratio"] > 1 for row in places.values())
red = [name for name, row in places.items() if row["verdict"] == "regressed"]
found = [name for name, row in slower.items() if row["verdict"] == "regressed"]
print(f"changes of the place alone: {len(places)}, red before: {red_before}, red now: {len(red)}")
print(f"true 1 %: {len(slower)}, found: {len(found)}")
ok = len(places) == 20 and not red and len(slower) == 4 and len(found) == 4
if ok and red_before == 0: print("nothing was red before: the kernels do not move here, so nothing is shown"); ok = False
print("PASS" if ok else "FAIL")
sys.exit(0 if ok else 1)
PY
