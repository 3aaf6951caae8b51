#!/usr/bin/env bash
# The corpus before `harness referee`: each kernel of corpus.txt in the place of an honest one of its name.
#
#   tests/cheats/refereed.sh FOLDER DEVICE OUT     FOLDER has bin/harness, and lib/ with the modules of tests/cheats;
#                                                  DEVICE: cpu or cuda; OUT: a folder for the report
#
# Prints a table. Exit status: 0 each exploit is incorrect, failed, or gains nothing, and no honest kernel is incorrect
# or failed; 1 otherwise; 2 it could not start. ONLY: a pattern of variants; BUDGET: the referee's. Needs g++ or nvcc.
set -euo pipefail
if [ $# -ne 3 ]; then
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
here=$(realpath "$(dirname "$0")") folder=$(realpath "$1") device=$2
mkdir -p "$3"
out=$(realpath "$3")
work=$(mktemp -d)
trap 'rm -rf "$work" /dev/shm/harness-cheat-*' EXIT
cd "$work"
flags=(-O2 -std=c++20 -DONLY_HONEST "-I$here/../..")
case $device in
  cpu)
    module=libcheats_plugin.so word=CPU line=line n=16384
    g++ "${flags[@]}" -fopenmp -shared -fPIC -fvisibility=hidden "$here"/plugin/*.cpp -o trusted.so
    ;;
  cuda)
    module=libcuda_cheats_plugin.so word=GPU line=cuda_line n=1048576
    nvcc "${flags[@]}" -arch=native -shared -Xcompiler -fPIC,-fvisibility=hidden "$here/cuda/cheats.cu" -o trusted.so
    ;;
  *) echo "refereed: $device: cpu or cuda" >&2 && exit 2 ;;
esac
if [ ! -f "$folder/lib/$module" ]; then
  echo "refereed: no $folder/lib/$module" >&2
  exit 2
fi
cp "$folder/lib/$module" corpus.so
variants=$(sed -n 's/^| `\([^`]*\)` | \([A-Z]*\) | [a-z]* | \([a-z_]*\) | .*/\1 \2 \3/p' "$here/corpus.txt" |
  grep -E " $word $line\$" | cut -d ' ' -f 1 | sort -u | grep -E "${ONLY:-.}" | paste -sd ,)
cat >corpus.yaml <<YAML
version: 2
name: corpus
modules: [./corpus.so]
defaults: {sampling: {timeout: 10s}}
cases:
  - {workload: $line, axes: {n: $n}, variants: [$variants]}
YAML
status=0
"$folder/bin/harness" referee corpus.yaml --device "$device" --baseline-build trusted.so --current-build corpus.so \
  --margin 3% --budget "${BUDGET:-5s}" --color never --report "json=$out/$device.json" >"$out/$device.txt" 2>&1 || status=$?
if [ "$status" -eq 2 ]; then
  cat "$out/$device.txt" >&2
  exit 2
fi
python3 - "$here/corpus.txt" "$word" "$out/$device.json" <<'PY'
import json, sys
table, word, file = sys.argv[1:]
rows = [[cell.strip(" `") for cell in line.split("|")] for line in open(table) if line.startswith("| `")]
kinds = {row[1]: row[3] for row in rows if row[2] == word}
good = True
print("| variant | kind | ruling | cause | time |\n|---|---|---|---|--:|")
for case in json.load(open(file))["cases"]:
    name = case["case"].split("/")[1]
    ruling, caught = case["ruling"], case["ruling"] in ("incorrect", "failed")
    if kinds[name] == "honest":
        fine = not caught
    else:  # a ruling by times alone is as good, where the work was done
        fine = caught or (case["hi"] is not None and case["hi"] > 0.97)
    good = good and fine
    time = f"{100 * (case['ratio'] - 1):+.1f} %" if case["ratio"] is not None else ""
    cause = case.get("reason", {}).get("code", "")
    print(f"| {name} | {kinds[name]} | {ruling}{'' if fine else ' WRONG'} | {cause} | {time} |")
sys.exit(0 if good else 1)
PY
