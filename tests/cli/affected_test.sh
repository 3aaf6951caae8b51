#!/usr/bin/env bash
# Two files of device code, compared without a GPU: which kernels differ, and the exit status.
corpus=$(cd "$(dirname "$0")/../fuzz/corpus/cubin" && pwd)
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
repository
cp "$corpus"/base.cubin "$corpus"/changed.cubin .
mkdir old new
cp base.cubin old/kernels.cubin
cp base.cubin new/kernels.cubin

expect 0 "$HARNESS" affected --baseline base.cubin --current changed.cubin --report json=affected.json
names changed.cubin
python3 - <<'PY' || problem "the kernels are not what they should be: $(cat affected.json)"
import json
report = json.load(open("affected.json"))
assert (report["format"], report["version"]) == ("harness-affected", 1)
assert {one["mangled"]: one["state"] for one in report["kernels"]} == {
    "_Z3addPfPKfi": "changed", "_Z5scalePff": "same", "_Z5firstPf": "added"}, report["kernels"]
PY
expect 1 "$HARNESS" affected --baseline base.cubin --current changed.cubin --exit-code
expect 0 "$HARNESS" affected --baseline base.cubin --current base.cubin --exit-code
expect 0 "$HARNESS" affected --baseline old --current new --exit-code
cp changed.cubin new/kernels.cubin
expect 1 "$HARNESS" affected --baseline old --current new --exit-code
names kernels.cubin

# Mistakes. A file without device code is not equal to another one.
echo 'int one;' >one.c
echo 'int other;' >other.c
expect 2 "$HARNESS" affected --baseline one.c --current other.c --exit-code
names one.c other.c
expect 2 "$HARNESS" affected --baseline base.cubin --current nobody.cubin
names nobody.cubin
expect 2 "$HARNESS" affected --baseline base.cubin --current changed.cubin --record nothing.json
names nothing.json
expect 2 "$HARNESS" affected --baseline base.cubin --current changed.cubin --format pdf
names pdf
finish
