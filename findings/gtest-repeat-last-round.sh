#!/usr/bin/env bash
# GoogleTest 1.12.1 (Debian 12): with --gtest_repeat=2 each round overwrites the file of --gtest_output. A test that fails in
# the first round and passes in the second leaves exit status 1 beside a file with 0 failures.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq libgtest-dev=1.12.1-0.2 2>/dev/null
dpkg -x libgtest-dev_*.deb root
cat > a.cpp <<'C'
#include <gtest/gtest.h>
static int rounds = 0;
TEST(Speed, FailsInTheFirstRound) { EXPECT_NE(rounds++, 0); }
C
g++ -std=c++17 -I root/usr/include a.cpp -o a -L root/usr/lib/x86_64-linux-gnu -lgtest_main -lgtest -lpthread
status=0; ./a --gtest_repeat=2 --gtest_output=json:out.json > out.txt || status=$?
python3 -c "import json; d = json.load(open('out.json')); print('exit status $status; the file: tests', d['tests'], 'failures', d['failures']); assert d['failures'] == 0 and d['tests'] == 1"
test "$status" = 1
