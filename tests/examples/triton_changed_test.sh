#!/usr/bin/env bash
# triton_changed_test.sh: `harness ab` of examples/triton_kernel, unchanged and with 2 % more rows to do, each
# HARNESS_EXAMPLE_RUNS (1) times. The changed kernel is found every time, and nothing else is red. Needs a GPU, PyTorch
# and Triton.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
: "${HARNESS:?the built program}"
root=$(cd "$tests/.." && pwd)
cp "$root"/examples/triton_kernel/* .
sed -i 's/^exec .*/true/' run.sh
if ! ./run.sh >"$printed" 2>&1; then
  grep '^skipped: ' "$printed" && exit 77
  problem "run.sh failed"
fi
git init -q . && git add . && git commit -q -m "The kernel"
# Fifty rows are normalised by fifty-one programs.
sed -i -e 's/row = tl.program_id(0)$/row = tl.program_id(0) % rows/' -e 's/def row_softmax(x, y, columns,/def row_softmax(x, y, rows, columns,/' \
  -e 's/row_softmax\[(rows,)\](x, y, columns,/row_softmax[(rows + rows \/\/ 50,)](x, y, rows, columns,/' cases.py
git commit -q -a -m "2 % more rows" && git diff --quiet HEAD~1 && problem "nothing was changed"
for run in $(seq "${HARNESS_EXAMPLE_RUNS:-1}"); do
  expect 1 "$HARNESS" ab suite.yaml --baseline HEAD~1 --report "json=changed-$run.json"
  grep -E '%' "$printed"
  holds "changed-$run.json" \
    "[one for one in report['cases'] if 'triton_rows' in one['case'] and one['case'].endswith('=4096') and one['verdict'] == 'regressed']" \
    "not [one for one in report['cases'] if 'torch_softmax' in one['case'] and one['verdict'] == 'regressed']"
  expect 0 "$HARNESS" ab suite.yaml --baseline HEAD --measure all
  grep -E '%' "$printed"
done
finish
