#!/usr/bin/env bash
# meson 1.0.1 (Debian 12): a test that runs into its time limit is TIMEOUT in testlog.json and makes `meson test` exit with 1,
# but testlog.junit.xml lists it with no failure and no error: failures="0" errors="0", as if it had passed.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq meson=1.0.1-5 ninja-build 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
export PYTHONPATH=$t/root/usr/lib/python3/dist-packages:$t/root/usr/share/meson PATH=$t/root/usr/bin:$PATH
printf "project('x')\ntest('hangs', find_program('sleep'), args: ['3'], timeout: 1)\n" > meson.build
/usr/bin/python3 root/usr/bin/meson --version | grep -x 1.0.1
/usr/bin/python3 root/usr/bin/meson setup b > setup.txt
status=0; /usr/bin/python3 root/usr/bin/meson test -C b > out.txt 2>&1 || status=$?
grep -o '"result": "[A-Z]*"' b/meson-logs/testlog.json
grep -o '<testsuite .*' b/meson-logs/testlog.junit.xml
echo "exit status $status"
test "$status" = 1 && grep -q '"result": "TIMEOUT"' b/meson-logs/testlog.json
! grep -qE '<failure|<error|<skipped|(failures|errors|skipped)="[1-9]' b/meson-logs/testlog.junit.xml
