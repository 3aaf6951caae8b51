#!/usr/bin/env bash
# Catch2 2.13.10 (Debian 12): a BENCHMARK whose code throws does not fail its test case. The program says the exception on the
# terminal, ends with exit status 0, and the XML and JUnit reports count the test case as a success. Catch2 3 fails it.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq catch2=2.13.10-1 2>/dev/null
dpkg -x catch2_*.deb root
cat > a.cpp <<'C'
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <stdexcept>
TEST_CASE("copies") {
  BENCHMARK("to a device that is not there") { throw std::runtime_error("no device"); return 1; };
}
C
g++ -std=c++17 -O0 -I root/usr/include a.cpp -o a
status=0; ./a --reporter xml --benchmark-samples 3 > out.xml || status=$?
grep -n 'failed message\|OverallResult ' out.xml
echo "exit status $status"
test "$status" = 0 && grep -q '<failed message="no device"/>' out.xml && grep -q '<OverallResult success="true"/>' out.xml
