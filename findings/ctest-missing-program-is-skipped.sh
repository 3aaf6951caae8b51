#!/usr/bin/env bash
# ctest 3.25.1 (Debian 12): a test whose program does not exist makes ctest exit with 8, but the file of --output-junit counts it
# as skipped: failures="0" skipped="1". A reader of the file alone sees no failure.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq cmake=3.25.1-1 cmake-data=3.25.1-1 libjsoncpp25 librhash0 libuv1 libarchive13 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
export LD_LIBRARY_PATH=$t/root/usr/lib/x86_64-linux-gnu CMAKE_ROOT=$t/root/usr/share/cmake-3.25
printf 'cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nenable_testing()\nadd_test(NAME missing COMMAND no_such_program)\n' > CMakeLists.txt
root/usr/bin/cmake -B b . > cmake.txt
root/usr/bin/ctest --version | head -n 1 | grep -x 'ctest version 3.25.1'
status=0; root/usr/bin/ctest --test-dir b --output-junit junit.xml > out.txt 2>&1 || status=$?
grep -E 'failures=|skipped|<testcase' b/junit.xml
echo "exit status $status"
test "$status" = 8 && grep -q 'failures="0"' b/junit.xml && grep -q 'skipped="1"' b/junit.xml
