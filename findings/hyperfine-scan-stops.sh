#!/usr/bin/env bash
# hyperfine 1.15.0 (Debian 12): a parameter scan whose second value fails stops there with status 1, and --export-json holds
# a complete, valid document with the first value only. Nothing in the document tells that two values are missing.
# If the first value fails, the file is there with 0 bytes.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq hyperfine=1.15.0-2 2>/dev/null
dpkg -x hyperfine_*.deb root
hyperfine=$t/root/usr/bin/hyperfine
"$hyperfine" --version | grep -x 'hyperfine 1.15.0'
status=0; "$hyperfine" -N -r 3 -L n 1,x,2 'sleep 0.00{n}' --export-json out.json > out.txt 2>&1 || status=$?
python3 -c "import json; r = json.load(open('out.json'))['results']; print('asked for 3, status $status, values in the file:', [x['parameters']['n'] for x in r]); assert len(r) == 1"
test "$status" = 1
status=0; "$hyperfine" -N -r 3 -L n x,1,2 'sleep 0.00{n}' --export-json first.json > out.txt 2>&1 || status=$?
echo "first value fails: status $status, $(stat -c %s first.json) bytes"
test "$status" = 1 && test ! -s first.json
