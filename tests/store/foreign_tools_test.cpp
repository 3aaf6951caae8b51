// A file of a tool that is not read here is named in one line, with what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/store/adapters/import_formats.h"

namespace harness {
namespace {

using testing::HasSubstr;

struct Foreign {
  const char *tool, *text;  // of the tool's shape, with numbers of our own
  const char *what, *advice;
};

// A version is of a tool that was run; without one the shape is that of its documentation.
const std::vector<Foreign> files{
    {"vitest 3.2.7", R"({"files": [{"filepath": "a.bench.js", "groups": [{"fullName": "a > b", "benchmarks":
      [{"id": "1_0", "name": "fold", "rank": 1, "samples": [], "mean": 0.5}]}]}]})",
     "a benchmark result of Vitest", "JSON Lines"},
    {"mitata 1.0.34", R"({"layout": [{"name": null, "types": []}], "benchmarks": [{"runs": [{"name": "fold",
      "stats": {"kind": "yield", "samples": null, "min": 5.5, "avg": 6}}]}]})",
     "a result of mitata", "JSON Lines"},
    {"tinybench 6.2.5, table()", R"([{"Task name": "fold", "Samples": 107}])", "a result of tinybench",
     "JSON Lines"},
    {"tinybench 6.2.5, results", R"([{"name": "fold", "result": {"state": "completed", "latency": {"mean": 5},
      "throughput": {"mean": 6}, "runtimeVersion": "22"}}])",
     "a result of tinybench", "JSON Lines"},
    {"fio 3.33", R"({"fio version": "fio-3.33", "jobs": [{"jobname": "a", "error": 0}]})", "a result of fio",
     "JSON Lines"},
    {"fio 3.33, a line before the document",
     "fio: failed to create dir (/x): No such file or directory\n{\"fio version\": \"fio-3.33\"}",
     "a result of fio", "JSON Lines"},
    {"iperf3 3.12", R"({"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {}})",
     "a result of iperf3", "JSON Lines"},
    {"perf stat -j 6.1",
     "# started on Sun Nov 29\n\n{\"counter-value\": \"0.9\", \"unit\": \"msec\", \"event\": "
     "\"task-clock\"}\n",
     "a result of perf stat", "JSON Lines"},
    {"perf stat -x, 6.1", "# started on Sun Nov 29\n\n0.51,msec,task-clock,14.97%,509762,100.00,,\n",
     "a result of perf stat", "JSON Lines"},
    {"meson 1.0.1, testlog.json",
     R"({"name": "a", "stdout": "", "result": "OK", "starttime": 5.5, "duration": 0.1, "returncode": 0, "command": ["a"]})",
     "a log of tests of Meson", "tests"},
    {"meson 1.0.1, testlog.junit.xml",
     R"(<?xml version='1.0' encoding='utf-8'?><testsuites tests="1"><testsuite name="a"/></testsuites>)",
     "a JUnit report", "tests"},
    {"ctest 3.25.1 --output-junit",
     "<?xml version=\"1.0\"?>\n<testsuite name=\"a\"\n\ttests=\"1\"></testsuite>", "a JUnit report", "tests"},
    {"ctest 3.25.1 -T Test", "<?xml version=\"1.0\"?>\n<Site BuildName=\"a\"><Testing></Testing></Site>",
     "a report of CTest", "tests"},
    {"GoogleTest 1.12.1, JSON",
     R"({"tests": 1, "failures": 0, "name": "AllTests", "testsuites": [{"name": "Speed"}]})",
     "a test result of GoogleTest", "tests"},
    {"GoogleTest 1.12.1, XML",
     R"(<?xml version="1.0"?><testsuites tests="1"><testsuite name="Speed"/></testsuites>)", "a JUnit report",
     "tests"},
    {"Google Benchmark 1.7.1, CSV",
     "Running ./a\nname,iterations,real_time,cpu_time,time_unit\n\"BM_a\",5,2.8,2.9,ns\n",
     "the CSV of Google Benchmark", "--benchmark_out_format=json"},
    {"Google Benchmark 1.7.1, console",
     "-----\nBenchmark                   Time             CPU   Iterations\n-----\nBM_a         2.84 ns      "
     "   2.84 ns       502821\n",
     "the table of Google Benchmark", "--benchmark_out_format=json"},
    {"hyperfine 1.15.0, CSV", "command,mean,stddev,median,user,system,min,max\nsleep 1,1.0,,1.0,0,0,1,1\n",
     "the CSV of hyperfine", "--export-json"},
    {"hyperfine 1.15.0, Markdown", "| Command | Mean [ms] | Min [ms] |\n|:---|---:|---:|\n",
     "the Markdown of hyperfine", "--export-json"},
    {"nanobench 4.6.0, CSV",
     "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\"\n\"t\";\"n\";\"op\";1;3e-09\n",
     "the CSV of nanobench", "templates::json()"},
    {"nanobench 4.6.0, console", "|  ns/op |  op/s |    err% |     total | t\n|---:|---:|---:|---:|:---\n",
     "the table of nanobench", "templates::json()"},
    {"nanobench 4.6.0, pyperf()",
     R"({"benchmarks": [{"runs": [{"values": [2e-08]}]}], "metadata": {"loops": 9}, "version": "1.0"})",
     "a result of pyperf", "JSON Lines"},
    {"pyperf", R"({"benchmarks": [], "metadata": {"pyperf_version": "2.6.0"}})", "a result of pyperf",
     "JSON Lines"},
    {"NVBench 66212f1d, CSV", "Benchmark,Device,Device Name,Skipped,Samples\ncopy,0,NVIDIA H200,No,9\n",
     "the CSV of NVBench", "--jsonbin"},
    {"NVBench 66212f1d, Markdown", "# Devices\n\n## [0] `NVIDIA H200`\n* SM Version: 900\n",
     "the Markdown of NVBench", "--jsonbin"},
    {"nccl-tests 2.19.6", "# nccl-tests version 2.19.6\n# Using devices\n", "the table of nccl-tests",
     "-J FILE"},
    {"nvbandwidth v0.8", "nvbandwidth Version: v0.8\n\nRunning device_local_copy.\n",
     "the text of nvbandwidth", "-j"},
    {"cutlass_profiler", "  Disposition: Passed\n\n      Runtime: 0.03  ms\n      Math: 900 GFLOP/s\n",
     "the text of cutlass_profiler", "--output"},
    {"Catch2 3.7.1", "benchmark name                       samples       iterations    est run time\n",
     "the table of Catch2", "--reporter xml"},
    {"criterion 0.3.6, estimates.json",
     R"({"mean": {"confidence_interval": {"confidence_level": 0.95}, "point_estimate": 5.5, "standard_error": 1}})",
     "a file of criterion without samples", "sample.json"},
    {"criterion 0.3.6, benchmark.json", R"({"group_id": "g", "function_id": null, "full_id": "g/1"})",
     "a file of criterion without samples", "sample.json"},
    {"criterion 0.3.6, raw.csv",
     "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n",
     "a file of criterion without samples", "sample.json"},
    {"criterion 0.3.6, standard output", "group/fold/64           time:   [18.5 ns 19.2 ns 20.1 ns]\n",
     "the output of criterion", "sample.json"},
    {"Nsight Compute 2025.3.1, an unknown metric",
     "==PROF== Connected to process 9 (/a)\n==ERROR== Unable to access the following metric\n==WARNING== No "
     "kernels were profiled.\n",
     "output of ncu, which failed", "==ERROR=="},
    {"Nsight Compute 2025.3.1, no kernel", "==WARNING== No kernels were profiled.\n",
     "output of ncu, which profiled no kernel", "filters"},
    {"a trace of another program",
     R"({"displayTimeUnit": "ns", "traceEvents": [{"ph": "X", "name": "a", "ts": 5, "dur": 2}]})",
     "a Chrome trace", "JSON Lines"},
    {"JMH", R"([{"jmhVersion": "1.37", "benchmark": "a.B.c", "mode": "avgt"}])", "a JMH result",
     "JSON Lines"},
    {"BenchmarkDotNet", R"({"Title": "a", "HostEnvironmentInfo": {}, "Benchmarks": []})",
     "a BenchmarkDotNet result", "JSON Lines"},
    {"asv", R"({"commit_hash": "abc", "env_name": "virtualenv", "results": {}})", "a result file of asv",
     "JSON Lines"},
    {"go test -json",
     R"({"Time": "2026-11-29T16:00:00Z", "Action": "output", "Package": "a", "Output": "x"})",
     "the stream of go test -json", "JSON Lines"},
    {"go test -bench", "goos: linux\ngoarch: amd64\nBenchmarkFold-2   100   5 ns/op\n",
     "a result of go test -bench", "JSON Lines"},
    {"nsys 2021, gpukernsum", "Time(%),Total Time (ns),Instances,Average,Name\n50.0,1000,2,500.0,a\n",
     "a table of nsys stats", "--type sqlite"},
    {"nsys stats -r cuda_gpu_trace", "Start (ns),Duration (ns),CorrId,GrdX,Name\n100,2000,1,80,a\n",
     "a table of nsys stats", "--type sqlite"},
    {"nsys export --type json",
     "{\"Collection\":1}\n{\"data\":[\"[Unknown]\"]}\n{\"CudaEvent\":{\"startNs\":\"1\"}}\n",
     "the JSON of nsys", "--type sqlite"},
    {"Nsight Compute, without the permission",
     "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
     "Counters\n",
     "output of ncu, which failed", "==ERROR=="},
    {"llama-bench -o md",
     "| model      |       size |          test |              t/s |\n| --- | --- | --- | --- |\n",
     "the table of llama-bench", "-o jsonl"},
    {"llama-bench -o sql", "CREATE TABLE IF NOT EXISTS test (\n  build_commit TEXT\n);\n",
     "the SQL of llama-bench", "-o jsonl"},
    {"git lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
     "a pointer of Git LFS", "git lfs pull"},
    {"git merge", "<<<<<<< HEAD\n{\"context\":{}}\n=======\n{\"context\":{}}\n>>>>>>> b\n",
     "a file with a merge conflict", "anew"},
    {"an error of a proxy", "<!doctype html>\n<html><body>404</body></html>", "a page of HTML", "downloaded"},
    {"zip", "PK\x03\x04 and more", "an archive", "unpack"},
    {"zstd", "\x28\xB5\x2F\xFD and more", "packed by zstd", "unpack"},
    {"a Rust bench", "test bench_x ... bench:       1,234 ns/iter (+/- 56)\n", "the text of a Rust bench",
     "criterion"},
    {"k6", R"({"metrics": {"http_req_duration": {"type": "trend"}}})", "a result of k6", "JSON Lines"},
    {"k6 --out json", "{\"type\":\"Metric\"}\n{\"metric\":\"http_req_duration\"}\n", "a result of k6",
     "JSON Lines"},
    {"vLLM", R"({"backend": "vllm", "mean_ttft_ms": 5.5, "mean_tpot_ms": 1.5})",
     "a result of a benchmark of vLLM or SGLang", "JSON Lines"},
    {"wrk", "Running 30s test @ http://a/\n  Thread Stats   Avg\nRequests/sec: 7.5\n", "the text of wrk",
     "JSON Lines"},
    {"OSU", "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n1  1.2\n",
     "the text of an OSU micro-benchmark", "JSON Lines"},
    {"time -v", "\tCommand being timed: \"ls\"\n", "the text of time -v", "JSON Lines"},
    {"a record of the harness", R"({"format": "harness-record", "version": 1})",
     "a record of the harness itself", "harness compare"},
    {"a pin of the harness", R"({"format": "harness-pin", "version": 1})", "a pin of the harness itself",
     "harness compare"},
};

TEST(ForeignTools, AreNamedInOneLineWithAdvice) {
  for (const Foreign& file : files) {
    const auto record = import_samples(file.text, "x");
    ASSERT_FALSE(record) << file.tool << " was accepted";
    EXPECT_EQ(record.error().size(), 1U) << file.tool;
    const Error& error = record.error().front();
    EXPECT_EQ(error.message, std::string("is ") + file.what + ", which is not read here") << file.tool;
    EXPECT_THAT(error.advice, HasSubstr(file.advice)) << file.tool;
  }
}

TEST(ForeignTools, AProfileOfNsysIsNamedByItsFile) {
  for (const char* file : {"a.nsys-rep", "a.qdrep"}) {
    const auto record = import_samples(std::string("\0\1\2", 3), file);
    ASSERT_FALSE(record);
    EXPECT_THAT(record.error().front().text(), HasSubstr("nsys export --type sqlite"));
  }
}

TEST(ForeignTools, AreNamedByNoMoreThanTheyShow) {
  const auto message = [](const char* text) { return import_samples(text, "x").error().front().message; };
  EXPECT_EQ(message("{\"a\": 1}"), "is JSON, of no format known here");
  EXPECT_EQ(message("hello\n"), "is no file of samples");
  EXPECT_EQ(message(" \n"), "holds no samples");
  EXPECT_EQ(message("Starting\n{\"a\": 1}\n"), "has text before the JSON document, which begins in line 2");
}

}  // namespace
}  // namespace harness
