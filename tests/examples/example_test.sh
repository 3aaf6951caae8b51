#!/usr/bin/env bash
# example_test.sh NAME: the commands of examples/NAME/README.md, in order, in a copy of the folder.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
: "${HARNESS:?the built program}"
example=$1
root=$(cd "$tests/.." && pwd)

# skip REASON: the machine lacks what the example needs.
skip() {
  echo "skipped: $1"
  exit 77
}

case $example in
  pytest_benchmark) python3 -c 'import pytest_benchmark' 2>/dev/null || skip "the Python package pytest-benchmark is not installed" ;;
  google_benchmark) echo '#include <benchmark/benchmark.h>' | c++ -E -x c++ - >/dev/null 2>&1 || skip "no benchmark/benchmark.h" ;;
esac

mkdir "$scratch/path" include
ln -s "$HARNESS" "$scratch/path/harness"
mkdir include/harness && ln -s "$root/harness/sdk" include/harness/sdk
export PATH=$scratch/path:$PATH CPATH=$work/include
cp -r "$root/examples/$example" copy
cd copy || exit 1
commands=0
while IFS= read -r command; do
  commands=$((commands + 1))
  status=0
  bash -c "$command" >"$printed" 2>&1 </dev/null || status=$?
  if [ "$status" -eq 77 ]; then
    skip "$(grep -m1 '^skipped: ' "$printed" | cut -d' ' -f2-)"
  fi
  [ "$status" -eq 0 ] || problem "exit status $status: $command"
done < <(python3 "$tests/walk/commands.py" --all "examples/$example/README.md")
[ "$commands" -gt 0 ] || problem "the README shows no command"
finish
