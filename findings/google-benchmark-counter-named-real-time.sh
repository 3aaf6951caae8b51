#!/usr/bin/env bash
# Google Benchmark 1.7.1 (Debian 12): a user counter called "real_time" is written beside the measured real_time, so one JSON
# object has the key twice. Python and Node keep the last one, which is the counter: the time read is the user's number.
# A key of --benchmark_context does the same to the file's own context, e.g. executable=other.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq libbenchmark-dev=1.7.1-1 libbenchmark1debian=1.7.1-1 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
cat > a.cpp <<'C'
#include <benchmark/benchmark.h>
#include <chrono>
#include <thread>
static void sleeps(benchmark::State& s) {
  for (auto _ : s) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  s.counters["real_time"] = 5;
}
BENCHMARK(sleeps)->Iterations(3);
BENCHMARK_MAIN();
C
L=root/usr/lib/x86_64-linux-gnu
g++ -std=c++17 -I root/usr/include a.cpp -o a $(ls $L/libbenchmark.a 2>/dev/null || echo "-L $L -lbenchmark") -lpthread
LD_LIBRARY_PATH=$L ./a --benchmark_context=executable=other --benchmark_out=out.json --benchmark_out_format=json > out.txt 2>&1
grep -n '"real_time"\|"executable"' out.json
python3 -c "
import json; d = json.load(open('out.json')); b = d['benchmarks'][0]
print('a sleep of 2 ms reads as', b['real_time'], b['time_unit'], 'by', d['context']['executable'])
assert b['real_time'] == 5 and d['context']['executable'] == 'other'"
test "$(grep -c '"real_time"' out.json)" = 2 && test "$(grep -c '"executable"' out.json)" = 2
