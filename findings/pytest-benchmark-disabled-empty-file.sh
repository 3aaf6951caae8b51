#!/usr/bin/env bash
# pytest-benchmark 3.2.2 (Debian 12): with --benchmark-disable and --benchmark-json the tests pass, the exit status is 0,
# and the file is there with 0 bytes, which is not JSON. The file is opened when the options are parsed and written only
# if a benchmark has run. An older result under the same name is lost.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq python3-pytest-benchmark=3.2.2-3 python3-pytest python3-pluggy python3-iniconfig python3-packaging python3-cpuinfo python3-attr python3-py 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
export PYTHONPATH=$t/root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
printf 'def test_sum(benchmark):\n    benchmark(sum, range(100))\n' > test_sum.py
/usr/bin/python3 -m pytest -q -p no:cacheprovider --benchmark-json=out.json test_sum.py > first.txt
test -s out.json && echo "after a run: $(stat -c %s out.json) bytes"
/usr/bin/python3 -c 'import pytest_benchmark; assert pytest_benchmark.__version__ == "3.2.2"'
status=0; /usr/bin/python3 -m pytest -q -p no:cacheprovider --benchmark-disable --benchmark-json=out.json test_sum.py > second.txt || status=$?
tail -n 1 second.txt
echo "with --benchmark-disable: exit status $status, $(stat -c %s out.json) bytes"
test "$status" = 0 && test ! -s out.json
