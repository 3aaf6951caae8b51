#!/usr/bin/env bash
# check_operations.sh BUILD [ARCHITECTURE...]: compares the table of instructions (harness/code/instructions.cpp) with
# nvdisasm, on kernels of the tree compiled for each architecture (default: sm_80 sm_89 sm_90a sm_100a sm_120a). Prints every
# code that the table lacks or names otherwise, with how often it was seen. Ends with 1 where it names one otherwise.
set -euo pipefail
build=${1:?the folder of a build, for its test_code}
shift
architectures=("$@")
[ ${#architectures[@]} -gt 0 ] || architectures=(sm_80 sm_89 sm_90a sm_100a sm_120a)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/bin/test_code" --gtest_filter=Operations.AreListed >"$scratch/log"
sed -n 's/^operation //p' "$scratch/log" >"$scratch/table"
for architecture in "${architectures[@]}"; do
  for source in "$root"/tests/alignment/cases.cu "$root"/tests/alignment/loops.cu "$root"/kernels/*/cuda_*.cu; do
    nvcc -std=c++20 -O3 -arch="$architecture" -cubin -I "$root" -o "$scratch/one.cubin" "$source" 2>/dev/null || continue
    nvdisasm -hex "$scratch/one.cubin" >>"$scratch/sass"
  done
done
python3 - "$scratch" <<'PY'
import collections, pathlib, re, sys
scratch = pathlib.Path(sys.argv[1])
table = dict(line.split() for line in (scratch / "table").read_text().splitlines())
line = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9]*)[. ;].*/\* 0x([0-9a-f]{16}) \*/")
seen = collections.Counter()
for found in line.finditer((scratch / "sass").read_text()):
    seen[format(int(found[2], 16) & 0x1FF, "03x"), found[1]] += 1
wrong = 0
for (code, name), count in sorted(seen.items()):
    if code not in table:
        print(f"not in the table: 0x{code} {name}, seen {count} times")
    elif table[code] != name:
        print(f"WRONG: 0x{code} is {name}, and the table says {table[code]}; seen {count} times")
        wrong += 1
print(f"{sum(seen.values())} instructions of {len(seen)} kinds, {wrong} codes named otherwise")
sys.exit(1 if wrong or not seen else 0)
PY
