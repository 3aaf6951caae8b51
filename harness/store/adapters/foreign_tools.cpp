#include "harness/store/adapters/foreign_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/text.h"
#include "harness/schema/json_reader.h"
#include "harness/store/adapters/read_text.h"

namespace harness {
namespace {

constexpr const char* as_lines =
    "write its numbers as JSON Lines: {\"case\": NAME, \"metric\": \"wall_time\", \"unit\": \"us\", "
    "\"process\": 1, "
    "\"samples\": [..]}";

constexpr const char* tests_only = "it holds tests; their times are no samples";
constexpr const char* criterion_samples =
    "import the samples beside it: 'target/criterion/**/new/sample.json'";
constexpr const char* nsys_export = "export the profile: nsys export --type sqlite PROFILE";
constexpr const char* nanobench_json = "write JSON: bench.render(ankerl::nanobench::templates::json(), FILE)";

struct Tool {
  std::string_view what;
  std::array<std::string_view, 3> marks;  // of its text, all of them; "" is always there
  std::string_view advice;
};

// In the order in which they are asked.
constexpr std::array<Tool, 103> tools{{
    {"a record of the harness itself",
     {"\"harness-record\"", "", ""},
     "compare it as it is: harness compare --current FILE"},
    {"a pin of the harness itself",
     {"\"harness-pin\"", "", ""},
     "compare with it as it is: harness compare --baseline FILE"},
    {"a JMH result", {"\"jmhVersion\"", "", ""}, as_lines},
    {"a BenchmarkDotNet result", {"\"HostEnvironmentInfo\"", "\"Benchmarks\"", ""}, as_lines},
    {"a result file of asv", {"\"commit_hash\"", "\"env_name\"", "\"results\""}, as_lines},
    {"a result file of asv", {"\"env_name\"", "\"result_columns\"", ""}, as_lines},
    {"a result of pyperf", {"\"pyperf_version\"", "", ""}, as_lines},
    {"a result of perf", {"\"perf_version\"", "", ""}, as_lines},
    {"a result of perf stat", {"\"counter-value\"", "", ""}, as_lines},
    {"a result of fio", {"\"fio version\"", "", ""}, as_lines},
    {"a result of iperf3", {"\"intervals\"", "\"iperf", ""}, as_lines},
    {"a benchmark result of Vitest", {"\"files\"", "\"groups\"", "\"benchmarks\""}, as_lines},
    {"a test result of Vitest or Jest", {"\"numTotalTests\"", "\"testResults\"", ""}, as_lines},
    {"a result of mitata", {"\"layout\"", "\"benchmarks\"", "\"runs\""}, as_lines},
    {"a test result of GoogleTest", {"\"testsuites\"", "\"tests\"", ""}, tests_only},
    {"the stream of go test -json", {"\"Action\"", "\"Package\"", ""}, as_lines},
    {"the stream of a Rust test",
     {"\"type\"", "\"event\"", ""},
     "use criterion: cargo criterion --message-format=json"},
    {"a layer profile of trtexec",
     {"\"averageMs\"", "\"timeMs\"", ""},
     "its times of inferences are written by --exportTimes=FILE"},
    {"a log of trtexec",
     {"TensorRT.trtexec", "", ""},
     "its times of inferences are written by --exportTimes=FILE"},
    {"a JUnit report", {"<testsuite", "", ""}, tests_only},
    {"a report of CTest", {"<Site", "<Testing", ""}, tests_only},
    {"a result of go test -bench", {"goos: ", "Benchmark", ""}, as_lines},
    {"the CSV of Google Benchmark",
     {"name,iterations,real_time", "", ""},
     "write JSON: --benchmark_out_format=json"},
    {"the CSV of hyperfine", {"command,mean,stddev", "", ""}, "write JSON: --export-json FILE"},
    {"the Markdown of hyperfine", {"| Command | Mean", "", ""}, "write JSON: --export-json FILE"},
    {"the CSV of llama-bench", {"build_commit,build_number", "", ""}, "write JSON: llama-bench -o jsonl"},
    {"the table of llama-bench", {"| model ", " test |", " t/s |"}, "write JSON: llama-bench -o jsonl"},
    {"the SQL of llama-bench",
     {"CREATE TABLE IF NOT EXISTS test (", "build_commit", ""},
     "write JSON: llama-bench -o jsonl"},
    {"a table of nsys stats", {"Time (%)", "Total Time (ns)", ""}, nsys_export},
    {"a table of nsys stats", {"Time(%)", "Total Time (ns)", ""}, nsys_export},
    {"a table of nsys stats", {"Start (ns)", "Duration (ns)", "CorrId"}, nsys_export},
    {"a table of nsys stats", {"Start(ns)", "Duration(ns)", "CorrId"}, nsys_export},
    {"the JSON of nsys", {"\"Collection\"", "{\"data\":[", ""}, nsys_export},
    {"the JSON of nsys", {"{\"CudaEvent\":", "", ""}, nsys_export},
    {"the JSON of nsys", {"{\"NvtxEvent\":", "", ""}, nsys_export},
    {"a report of Nsight Compute",
     {"NVR", "\x01", ""},
     "print it: ncu --import FILE --csv --page raw --print-units base"},
    {"a log of tests of Meson", {"\"returncode\"", "\"starttime\"", "\"result\""}, tests_only},
    {"a result of tinybench", {"\"Task name\"", "", ""}, as_lines},
    {"a result of tinybench", {"\"latency\"", "\"throughput\"", "\"runtimeVersion\""}, as_lines},
    {"a result of pyperf", {"\"benchmarks\"", "\"runs\"", "\"values\""}, as_lines},
    {"a Chrome trace", {"\"traceEvents\"", "", ""}, as_lines},
    {"a file of criterion without samples",
     {"\"point_estimate\"", "\"confidence_interval\"", ""},
     criterion_samples},
    {"a file of criterion without samples", {"\"group_id\"", "\"full_id\"", ""}, criterion_samples},
    {"a file of criterion without samples",
     {"sample_measured_value", "iteration_count", ""},
     criterion_samples},
    {"the output of criterion", {"time:   [", "", ""}, criterion_samples},
    {"a result of perf stat", {"# started on ", "", ""}, as_lines},
    {"the table of nccl-tests", {"# nccl-tests version", "", ""}, "write JSON: -J FILE"},
    {"the text of nvbandwidth", {"nvbandwidth Version:", "", ""}, "write JSON: nvbandwidth -j"},
    {"the CSV of NVBench", {"Benchmark,Device,Device Name", "", ""}, "write JSON: --jsonbin FILE"},
    {"the Markdown of NVBench", {"# Devices", "* SM Version:", ""}, "write JSON: --jsonbin FILE"},
    {"the text of cutlass_profiler", {"Disposition:", "Runtime:", "GFLOP/s"}, "write CSV: --output=NAME"},
    {"the CSV of nanobench", {"\"title\";\"name\"", "", ""}, nanobench_json},
    {"the table of nanobench", {"op/s |", "err% |", ""}, nanobench_json},
    {"the table of Catch2", {"benchmark name", "est run time", ""}, "write XML: --reporter xml"},
    {"the table of Google Benchmark",
     {"Benchmark ", "CPU   Iterations", ""},
     "write JSON: --benchmark_out=FILE --benchmark_out_format=json"},
    {"output of ncu, which failed", {"==ERROR==", "==PROF==", ""}, "its lines with ==ERROR== say why"},
    {"output of ncu, which failed",
     {"==ERROR== ERR_NVGPUCTRPERM", "", ""},
     "its lines with ==ERROR== say why"},
    {"output of ncu, which profiled no kernel",
     {"No kernels were profiled", "", ""},
     "does the program launch a kernel, and do the filters of ncu match it?"},
    {"a table of nvprof", {"==", "Profiling result", ""}, "use nsys or ncu, which replace it"},
    {"a pointer of Git LFS", {"version https://git-lfs", "", ""}, "fetch the file: git lfs pull"},
    {"a file with a merge conflict", {"<<<<<<< ", "=======", ">>>>>>> "}, "write it anew"},
    {"a page of HTML", {"<html", "", ""}, "was it downloaded with an error?"},
    {"an archive", {"PK\x03\x04", "", ""}, "unpack it"},
    {"packed by zstd", {"\x28\xB5\x2F\xFD", "", ""}, "unpack it"},
    {"packed by bzip2", {"BZh9", "1AY&SY", ""}, "unpack it"},
    {"the text of a Rust bench",
     {"test ", "... bench:", "ns/iter"},
     "use criterion: cargo criterion --message-format=json"},
    {"the text of divan", {"Timer precision:", "fastest", ""}, as_lines},
    {"the text of iai", {"Instructions:", "L1 Accesses:", ""}, as_lines},
    {"the text of JMH", {"# JMH version:", "", ""}, as_lines},
    {"the CSV of JMH", {"\"Benchmark\",\"Mode\",\"Threads\"", "", ""}, as_lines},
    {"the CSV of BenchmarkDotNet", {"Method,", "Job,", "StdDev"}, as_lines},
    {"a result of BenchmarkTools.jl", {"\"BenchmarkTools\"", "", ""}, as_lines},
    {"a result of Benchee", {"\"run_time_data\"", "\"statistics\"", ""}, as_lines},
    {"a comparison of Google Benchmark's compare.py",
     {"\"measurements\"", "\"real_time_other\"", ""},
     "import the two files that it compared"},
    {"data of github-action-benchmark", {"window.BENCHMARK_DATA", "", ""}, as_lines},
    {"a result of k6", {"\"http_req_duration\"", "", ""}, as_lines},
    {"the text of wrk", {"Running ", "Thread Stats", "Requests/sec:"}, as_lines},
    {"the text of ApacheBench", {"This is ApacheBench", "", ""}, as_lines},
    {"the CSV of hey", {"response-time,DNS+dialup", "", ""}, as_lines},
    {"a result of oha", {"\"successRate\"", "\"slowest\"", ""}, as_lines},
    {"a result of Lighthouse", {"\"lighthouseVersion\"", "", ""}, as_lines},
    {"the CSV of Locust", {"Type,Name,Request Count", "", ""}, as_lines},
    {"a log of JMeter", {"timeStamp,elapsed,label", "", ""}, as_lines},
    {"the text of sysbench", {"sysbench ", "events per second", ""}, as_lines},
    {"the text of pgbench", {"transaction type:", "tps = ", ""}, as_lines},
    {"the CSV of redis-benchmark", {"\"test\",\"rps\"", "", ""}, as_lines},
    {"a result of a benchmark of vLLM or SGLang", {"\"mean_ttft_ms\"", "\"mean_tpot_ms\"", ""}, as_lines},
    {"a result of GenAI-Perf", {"\"request_throughput\"", "\"unit\"", ""}, as_lines},
    {"a summary of MLPerf", {"MLPerf Results Summary", "", ""}, as_lines},
    {"the text of STREAM", {"STREAM version", "Best Rate MB/s", ""}, as_lines},
    {"the text of an OSU micro-benchmark", {"# OSU ", "", ""}, as_lines},
    {"the text of HPL", {"HPLinpack", "", ""}, as_lines},
    {"the text of perf stat", {"Performance counter stats for", "", ""}, as_lines},
    {"the text of time -v", {"Command being timed:", "", ""}, as_lines},
    {"a profile of callgrind", {"# callgrind format", "", ""}, as_lines},
    {"a report of doctest", {"<doctest", "", ""}, tests_only},
    {"a report of NUnit", {"<test-run", "", ""}, tests_only},
    {"a report of Visual Studio's tests", {"<TestRun", "", ""}, tests_only},
    {"a report of Qt Test", {"<TestFunction", "<BenchmarkResult", ""}, as_lines},
    {"a report of coverage", {"<coverage", "line-rate", ""}, "it holds no times"},
    {"a report of coverage", {"end_of_record", "", ""}, "it holds no times"},
    {"YAML", {"\ncases:", "", ""}, "a suite is run: harness run FILE"},
    {"YAML", {"\nprograms:", "", ""}, "a suite is run: harness run FILE"},
}};

// The line of the first "{" or "[" that begins a line behind others; 0: none.
int line_of_document(std::string_view text) {
  int found = 0;
  each_line(text, [&](std::string_view line, int number) {
    if (found == 0 && number > 1 && (line.starts_with('{') || line.starts_with('['))) found = number;
  });
  return found;
}

}  // namespace

Error not_read_here(std::string_view text, const std::string& file, const std::string& formats) {
  for (const std::string_view ending : {".nsys-rep", ".qdrep", ".qdstrm"})
    if (file.ends_with(ending))
      return {ErrorKind::usage, "is a profile of Nsight Systems, which is not read here", Location{file},
              nsys_export};
  const std::string read_are = "read are: " + formats;
  const std::string_view beginning = beginning_of(text);
  for (const Tool& tool : tools)
    if (std::all_of(tool.marks.begin(), tool.marks.end(),
                    [&](std::string_view mark) { return beginning.find(mark) != std::string_view::npos; }))
      return {ErrorKind::usage, fmt::format("is {}, which is not read here", tool.what), Location{file},
              std::string(tool.advice)};
  if (trim(text).empty())
    return {ErrorKind::usage, "holds no samples", Location{file}, "it is empty; did the program write it?"};
  if (beginning.find('\0') != std::string_view::npos)
    return {ErrorKind::usage, "is no text", Location{file}, read_are};
  const std::string_view begin = trim(text);
  if (begin.starts_with('{') || begin.starts_with('[')) {
    const auto reader = JsonReader::parse(text, {file, 1}, JsonNumbers::with_nan);
    if (reader) return {ErrorKind::usage, "is JSON, of no format known here", Location{file}, read_are};
    Error error = reader.error();
    error.advice = read_are;
    return error;
  }
  if (const int line = line_of_document(text); line > 0)
    return {ErrorKind::usage, fmt::format("has text before the JSON document, which begins in line {}", line),
            Location{file, 1}, "let the program write its results into a file of their own"};
  return {ErrorKind::usage, "is no file of samples", Location{file, 1}, read_are};
}

}  // namespace harness
