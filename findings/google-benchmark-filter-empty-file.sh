#!/usr/bin/env bash
# Google Benchmark 1.7.1 (Debian 12): a --benchmark_filter that matches nothing exits with 0, and the file of --benchmark_out is
# there with 0 bytes. The message goes to standard error. A renamed benchmark looks like a success to a build script.
set -euo pipefail
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT; cd "$t"
apt-get download -qq libbenchmark-dev=1.7.1-1 libbenchmark1debian=1.7.1-1 2>/dev/null
for d in *.deb; do dpkg -x "$d" root; done
printf '#include <benchmark/benchmark.h>\nstatic void empty(benchmark::State& s) { for (auto _ : s) {} }\nBENCHMARK(empty)->Iterations(3);\nBENCHMARK_MAIN();\n' > a.cpp
L=root/usr/lib/x86_64-linux-gnu
g++ -std=c++17 -I root/usr/include a.cpp -o a $(ls $L/libbenchmark.a 2>/dev/null || echo "-L $L -lbenchmark") -lpthread
status=0; LD_LIBRARY_PATH=$L ./a --benchmark_filter=renamed --benchmark_out=out.json --benchmark_out_format=json > out.txt 2> err.txt || status=$?
cat err.txt
echo "exit status $status, $(stat -c %s out.json) bytes"
test "$status" = 0 && test ! -s out.json
