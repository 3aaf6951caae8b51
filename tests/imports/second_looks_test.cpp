// Starts that share a file, machines, copies, versions and directions in files of other tools. Beside each
// kind stands an honest user.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/model/code/shifted_process.h"
#include "judged.h"
#include "made_files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- Starts and sessions

// Two, three and four files a side, whose means differ by a few percent, as on a busy host.
TEST(SharedFiles, OfAFewSessionsAreNeverSureOfAPercent) {
  const std::vector<std::pair<std::vector<double>, std::vector<double>>> sides{
      {{0.97, 0.98}, {1.02, 1.03}},
      {{0.97, 0.98, 0.99}, {1.01, 1.02, 1.04}},
      {{0.97, 1, 0.98, 1.01}, {1.02, 1.04, 1, 1.03}}};
  for (const auto& [old, now] : sides)
    EXPECT_NE(judge(files_of_starts(old, 30), files_of_starts(now, 30)).verdict, "regressed") << old.size();
  EXPECT_EQ(judge(files_of_starts({0.99, 1, 1.01}, 30), files_of_starts({1.48, 1.5, 1.52}, 30)).verdict,
            "regressed");
}

TEST(SharedFiles, OfJsonLinesShareASessionToo) {
  const auto lines = [](double mean) {
    std::string text;
    for (int process = 1; process <= 10; ++process)
      text += fmt::format(
          R"({{"case": "a", "metric": "wall_time", "unit": "us", "process": {}, "samples": [{}, {}]}})"
          "\n",
          process, 100 * mean + process * 0.01, 100 * mean + process * 0.011);
    return Files{text};
  };
  EXPECT_NE(judge(lines(1), lines(1.05)).verdict, "regressed");
  EXPECT_EQ(judge(lines(1), lines(1.5)).verdict, "regressed");
}

TEST(SharedFiles, OfOneNamedSessionTellNoMoreThanWithoutAName) {
  ImportOptions named;
  named.merge.sessions = {{"monday", "*"}};
  const Judged judged = judge(runs({{Bench{"BM_a"}, 1}}), runs({{Bench{"BM_a"}, 1.1}}), named);
  EXPECT_EQ(judged.verdict, "regressed") << "files with one process each share nothing";
}

TEST(SharedFiles, OfSeveralSessionsKeepTheirNumbers) {
  ImportOptions named;
  named.merge.sessions = {{"monday", "x[123]"}, {"tuesday", "x[45]"}};
  const auto record = record_of(runs({{Bench{"BM_a"}, 1}}), "x", named);
  ASSERT_TRUE(record) << record.error().front().text();
  std::vector<int> sessions;
  for (const ProcessSamples& process : record->cases[0].series[0].processes)
    sessions.push_back(process.session);
  EXPECT_THAT(sessions, ElementsAre(1, 1, 1, 2, 2));
}

// Each file is within twelve hours of the one before it, and days apart from the first.
TEST(SharedFiles, OfAChainOfHoursAreSeveralDays) {
  Files chain;
  for (int i = 0; i < 5; ++i)
    chain.push_back(fmt::format(
        R"({{"context": {{"date": "2026-11-2{}T{:02}:00:00+00:00", "num_cpus": 8}}, "benchmarks": [{{"name": "BM_a",
        "run_type": "iteration", "real_time": {}, "cpu_time": 1, "time_unit": "ns"}}]}})",
        i * 11 / 24, i * 11 % 24, 100.5 + i));
  const auto record = record_of(chain, "x");
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().front().text(), HasSubstr("--same date"));
}

TEST(SharedFiles, ThatTellNoHostAreOfNoOtherHost) {
  const auto record = record_of({google_benchmark({{"BM_a"}}), hyperfine({1, 2, 3})}, "x");
  EXPECT_TRUE(record) << record.error().front().text();
}

// --- Machines

// A record has one machine, so shards are of one.
TEST(Machines, OfShardsAreOne) {
  const auto shard = [](const char* name, const char* build) {
    std::string text = google_benchmark({{name}});
    return text.replace(text.find("release"), 7, build);
  };
  const auto mixed = record_of({shard("BM_a", "release"), shard("BM_b", "debug")}, "x");
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().front().text(), HasSubstr("library_build_type"));
  EXPECT_TRUE(record_of({shard("BM_a", "release"), shard("BM_b", "release")}, "x"));
}

TEST(Machines, ThatAUserNamesCount) {
  const auto lines = [](const char* fields, double factor) {
    return five(factor, [&](double step) {
      return fmt::format(
          R"({{"machine": {{"fields": {{{}}}}}}})"
          "\n"
          R"({{"case": "a", "metric": "gpu_time", "unit": "us", "process": 1, "samples": [{}]}})",
          fields, 100 * step);
    });
  };
  for (const auto& [old, now] : {std::pair(R"("gpu": "NVIDIA H100")", R"("gpu": "NVIDIA H200")"),
                                 {R"("cpu_model": "a")", R"("cpu_model": "b")"},
                                 {R"("build_type": "Release")", R"("build_type": "Debug")"}})
    EXPECT_EQ(judge(lines(old, 1), lines(now, 1.3)).verdict, "not_comparable") << old;
  EXPECT_EQ(judge(lines(R"("driver": "550")", 1), lines(R"("driver": "580")", 1)).verdict, "told");
  EXPECT_EQ(judge(lines(R"("run_id": "1")", 1), lines(R"("run_id": "2")", 1)).verdict, "unchanged");
}

TEST(Machines, OfAContextThatAUserAddsCount) {
  const auto with = [](const char* added) { return runs({{Bench{"BM_a"}, 1}}, added); };
  EXPECT_EQ(judge(with(R"(, "gpu": "H100")"), with(R"(, "gpu": "H200")")).verdict, "not_comparable");
  EXPECT_EQ(judge(with(R"(, "dataset": "a")"), with(R"(, "dataset": "b")")).verdict, "told");
  EXPECT_EQ(judge(with(R"(, "git_sha": "a")"), with(R"(, "git_sha": "b")")).verdict, "unchanged");
}

// --- Copies

TEST(Copies, OfAnotherFileAreNoProcesses) {
  const std::string text = google_benchmark({{"BM_a", 100.123456789}, {"BM_b", 7.87654321}});
  std::string dated = text;
  dated.replace(dated.find("05:40"), 5, "05:41");
  const auto record = record_of({text, dated}, "x");
  ASSERT_TRUE(record) << "few digits may agree by chance";
  const std::string whole = hyperfine({0.123456, 0.123789, 0.124001, 0.123555, 0.125001});
  const auto again = record_of({whole, whole + " "}, "x");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().front().text(), HasSubstr("a copy is no further process"));
}

TEST(Copies, OfRoundTimesAreNone) {
  EXPECT_TRUE(record_of({hyperfine({10, 10, 10}), hyperfine({10, 10, 10}) + " "}, "x"));
}

// --- Google Benchmark

TEST(GoogleBenchmarks, OfAFamilyWithComplexityAreRead) {
  const auto record = import_samples(R"({"context": {"num_cpus": 8}, "benchmarks": [
    {"name": "BM_c/8", "run_name": "BM_c/8", "run_type": "iteration", "repetitions": 0, "threads": 1, "real_time": 10, "time_unit": "ns"},
    {"name": "BM_c_BigO", "run_name": "BM_c", "run_type": "aggregate", "aggregate_name": "BigO", "big_o": "N", "real_coefficient": 1, "time_unit": "ns"},
    {"name": "BM_c_RMS", "run_name": "BM_c", "run_type": "aggregate", "aggregate_name": "RMS", "rms": 0.1}]})",
                                     "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("BM_c/8"));
}

TEST(GoogleBenchmarks, MayHaveAnArgumentCalledThreads) {
  const auto record =
      import_samples(google_benchmark({{"BM_pool/threads:4", 100, R"(, "threads": 1)"},
                                       {"BM_pool/threads:4/threads:2", 100, R"(, "threads": 2)"}}),
                     "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_FALSE(import_samples(google_benchmark({{"BM_pool/threads:4", 100, R"(, "threads": 2)"}}), "x"));
}

// Without CMake the library does not know its version, and whether it divides times by threads.
TEST(GoogleBenchmarks, OfAnUnknownVersionTellNoTimeOfThreads) {
  const Bench threads{"BM_a/threads:4", 100, R"(, "threads": 4)"};
  const auto of = [&](const char* version) { return runs({{threads, 1}}, version); };
  const char *none = "", *unknown = R"(, "library_version": "")", *v18 = R"(, "library_version": "v1.8.4")",
             *v19 = R"(, "library_version": "v1.9.0")";
  EXPECT_EQ(judge(of(none), of(unknown)).verdict, "not_comparable");
  EXPECT_EQ(judge(of(v18), of(v19)).verdict, "not_comparable");
  EXPECT_EQ(judge(of(R"(, "library_version": "v0.0.0")"), of(v19)).verdict, "not_comparable");
  EXPECT_EQ(judge(of(unknown), of(unknown)).verdict, "unchanged");
  EXPECT_NE(judge(of(none), of(v18)).verdict, "not_comparable");
}

// Only what comes with a standard deviation is the mean of repetitions.
TEST(GoogleBenchmarks, MayBeCalledAfterAMean) {
  const auto record = import_samples(R"({"context": {"num_cpus": 8}, "benchmarks": [
    {"name": "BM_geo", "iterations": 9, "real_time": 100, "time_unit": "ns"},
    {"name": "BM_geo_mean", "iterations": 9, "real_time": 200, "time_unit": "ns"}]})",
                                     "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("BM_geo", "BM_geo_mean"));
}

TEST(GoogleBenchmarks, WhoseSamplesAreGoneAreSkippedBesideOthers) {
  const auto record = import_samples(R"({"context": {"num_cpus": 8}, "benchmarks": [
    {"name": "BM_a", "run_type": "iteration", "real_time": 100, "time_unit": "ns"},
    {"name": "BM_b_mean", "run_name": "BM_b", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 100, "time_unit": "ns"}]})",
                                     "x");
  ASSERT_TRUE(record) << record.error().front().text();
  ASSERT_EQ(record->cases.size(), 2U);
  EXPECT_EQ(record->cases[1].outcome, Outcome::skipped);
}

// A clock of 15.6 ms ticks: a start measures a tick or nothing.
TEST(GoogleBenchmarks, WhoseCpuTimeIsATickOrNothingAreJudgedByWallTime) {
  const auto files = [](std::vector<double> ticks) {
    Files all;
    for (std::size_t i = 0; i < 5; ++i)
      all.push_back(fmt::format(
          R"({{"context": {{"num_cpus": 8}}, "benchmarks": [{{"name": "BM_a", "run_type": "iteration", "real_time": {}, "cpu_time": {}, "time_unit": "ns"}}]}})",
          100 * steps[i], ticks[i]));
    return all;
  };
  const Judged judged = judge(files({7.8, 7.81, 7.79, 7.8, 7.82}), files({15.6, 0, 15.61, 15.59, 0}));
  EXPECT_EQ(judged.of("BM_a", "wall_time"), "unchanged");
  EXPECT_THAT(judged.of("BM_a", "cpu_time"), HasSubstr("informs"));
  EXPECT_NE(judged.verdict, "regressed");
}

TEST(GoogleBenchmarks, AreTimedByHandWhereTheirNameSaysSo) {
  const auto record =
      import_samples(google_benchmark({{"BM_clock/manual_timestamp"}, {"BM_kernel/manual_time"}}), "x");
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->cases[0].series[1].informs);
  EXPECT_TRUE(record->cases[1].series[1].informs);
}

// --- Directions and values

TEST(Rates, OfAWordOfTheirOwnAreBetterWhenHigher) {
  const auto direction = [](const std::string& unit) {
    const auto record = import_samples(
        fmt::format(R"({{"case": "a", "metric": "rate", "unit": "{}", "process": 1, "samples": [5]}})", unit),
        "x");
    if (!record) return std::string("refused");
    const Series& series = record->cases[0].series[0];
    return series.informs ? "informs" : std::string(name_of(series.direction));
  };
  for (const char* unit :
       {"fps", "qps", "RPS", "IOPS", "GFlops", "GB/s/GPU", "tokens/s/GPU", "tok/s", "kops"})
    EXPECT_EQ(direction(unit), "higher") << unit;
  for (const char* unit : {"us", "bytes", "GiB", "us/item", "ns/iter", "inst", "sector"})
    EXPECT_EQ(direction(unit), "lower") << unit;
  for (const char* unit : {"%", "x", "1", "Hz", "MHz", "frogs/s", "score"})
    EXPECT_EQ(direction(unit), "informs") << unit;
}

TEST(Rates, BelowNoughtAreRefused) {
  const auto of = [](const char* value) {
    return import_samples(
        fmt::format(R"({{"case": "a", "metric": "rate", "unit": "GB/s", "process": 1, "samples": [{}]}})",
                    value),
        "x");
  };
  EXPECT_FALSE(of("-5"));
  ASSERT_TRUE(of("0"));
  EXPECT_EQ(of("0")->cases[0].outcome, Outcome::failed);
}

TEST(Rates, ThatSayTheirDirectionInOtherWordsAreRefused) {
  const auto with = [](const char* more) {
    return import_samples(
        fmt::format(R"({{"case": "a", "metric": "m", "unit": "GB/s", "process": 1, "samples": [1]{}}})",
                    more),
        "x");
  };
  EXPECT_FALSE(with(R"(, "higher_is_better": true)"));
  EXPECT_FALSE(with(R"(, "status": "failed")"));
  EXPECT_TRUE(with(R"(, "comment": "x")"));
}

// --- pytest-benchmark

std::string pytest(const std::string& name, const std::string& timer, const std::string& params,
                   double factor, const std::string& dirty = "false") {
  return fmt::format(
      R"({{"machine_info": {{"node": "n"}}, "commit_info": {{"id": "0123456789012345678901234567890123456789", "dirty": {}}},
      "benchmarks": [{{"fullname": "{}", "params": {{"f": "{}"}}, "options": {{"timer": "{}"}}, "stats": {{"data": [{}, {}]}}}}]}})",
      dirty, name, params, timer, 0.1 * factor, 0.1001 * factor);
}

TEST(PythonBenchmarks, WithAnAddressForAParameterAreOne) {
  int address = 0;
  const auto files = five(1, [&](double step) {
    return pytest("t.py::a[f0]", "perf_counter",
                  fmt::format("UNSERIALIZABLE[<function f at 0x7f0{}>]", ++address), step);
  });
  const auto record = record_of(files, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->cases.size(), 1U);
}

TEST(PythonBenchmarks, OfAnotherTimerAreNotComparable) {
  const auto by = [](const char* timer, double factor) {
    return five(factor, [&](double step) { return pytest("t.py::a", timer, "1", step); });
  };
  EXPECT_EQ(judge(by("perf_counter", 1), by("tests.cuda_event_ms", 1000)).verdict, "not_comparable");
  EXPECT_EQ(judge(by("perf_counter", 1), by("time.perf_counter", 1)).verdict, "unchanged");
}

TEST(PythonBenchmarks, OfADirtyTreeAreOfNoCommit) {
  Import import({});
  ASSERT_TRUE(import.add(pytest("a", "perf_counter", "1", 1), "one"));
  ASSERT_TRUE(import.add(pytest("a", "perf_counter", "1", 1.01, "true"), "two"));
  ASSERT_TRUE(import.revision());
  EXPECT_TRUE(import.revision()->dirty);
}

// --- hyperfine

TEST(Commands, OfWrappersHaveNoFolders) {
  const auto id = [](const std::string& command) {
    return ids_of(*import_samples(hyperfine({1, 2, 3}, "", command), "x")).front();
  };
  EXPECT_EQ(id("taskset -c 2 /ci/build-101/prog --n 5"), "taskset -c 2 prog --n 5");
  EXPECT_EQ(id("env X=1 ./a/prog"), "env X=1 prog");
  EXPECT_EQ(id("'/my build/prog' x"), "'prog' x");
  EXPECT_EQ(id("build/bench --json"), "bench --json");
  EXPECT_EQ(id("prog data/small.bin --at 1/2"), "prog data/small.bin --at 1/2")
      << "an input, not the program";
  EXPECT_EQ(id("curl http://localhost:80/a"), "curl http://localhost:80/a");
}

TEST(Commands, OfAnotherProgramAreShown) {
  const auto of = [](const char* command) {
    return Files{hyperfine({1.1, 1.2, 1.3, 1.25, 1.15}, "", command)};
  };
  EXPECT_EQ(judge(of("/old/prog"), of("/new/prog")).comparison.differences.size(), 1U);
}

TEST(Commands, ThatAllEndWithOneStatusAreToldHow) {
  const auto record = import_samples(hyperfine({1, 2}, R"(, "exit_codes": [1, 1])"), "x");
  ASSERT_TRUE(record);
  ASSERT_TRUE(record->cases[0].reason);
  EXPECT_THAT(record->cases[0].reason->text("advice"), HasSubstr("--success-exit 1"));
}

TEST(Commands, OfThousandsOfRunsKeepThemAll) {
  std::vector<double> times;
  for (int run = 0; run < 12'000; ++run) times.push_back(1 + 0.001 * (run % 7));
  const auto record = import_samples(hyperfine(times), "x");
  ASSERT_TRUE(record);
  const std::vector<ProcessSamples>& processes = record->cases[0].series[0].processes;
  ASSERT_EQ(processes.size(), times.size());
  EXPECT_FALSE(confirms(processes.back().process) || is_alone(processes.back().process) ||
               is_shifted(processes.back().process));
  CaseRecord stored = planned_record({});
  for (const ProcessResult& one : record->cases[0].processes) {
    if (one.process % 1000 != 1) continue;
    ProcessResult result = one;
    result.series = record->cases[0].series;
    std::erase_if(result.series[0].processes,
                  [&](const ProcessSamples& samples) { return samples.process != one.process; });
    add_result(stored, std::move(result));
  }
  EXPECT_EQ(stored.series[0].processes.size(), 12U);
}

TEST(Commands, OfMoreRunsThanNumbersTellAreRefused) {
  const auto line = [](int process) {
    return fmt::format(
        R"({{"case": "a", "metric": "wall_time", "unit": "us", "process": {}, "samples": [1, 2]}})", process);
  };
  EXPECT_TRUE(import_samples(line(last_plain_process), "x"));
  const auto refused = import_samples(line(last_plain_process + 1), "x");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().front().message, HasSubstr("1000000"));
}

TEST(Commands, WhoseTimesAreBeyondTheirOwnMaximumAreRefused) {
  EXPECT_FALSE(import_samples(hyperfine({1, 2, 30}, R"(, "min": 1, "max": 3)"), "x"));
  EXPECT_TRUE(import_samples(hyperfine({1, 2, 3}, R"(, "min": 1, "max": 3)"), "x"));
}

// --- Files with more than one document

TEST(Documents, OfCatch2OneBehindTheOtherAreRefused) {
  const std::string one =
      R"(<?xml version="1.0"?><Catch2TestRun name="x"><TestCase name="t"><BenchmarkResults name="b" samples="9"><!--All values in nano seconds--><mean value="10" lowerBound="9" upperBound="11"/></BenchmarkResults><OverallResult success="true"/></TestCase></Catch2TestRun>)";
  EXPECT_TRUE(import_samples(one, "x"));
  const auto two = import_samples(one + "\n" + one, "x");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().front().text(), HasSubstr("second"));
}

TEST(Documents, OfLlamaBenchHoldEachLineOnce) {
  const std::string line =
      R"({"build_commit": "a", "cpu_info": "c", "gpu_info": "g", "model_type": "llama 1B", "n_prompt": 512, "n_gen": 0, "test_time": "2026-11-20T05:40:00Z", "avg_ns": 101, "samples_ns": [100, 102]})"
      "\n";
  EXPECT_TRUE(import_samples(line, "x"));
  EXPECT_FALSE(import_samples(line + line, "x"));
}

// --- Names

TEST(SuiteNames, ThatTellRunsApartAreAskedFor) {
  const auto named = [](const char* file) {
    Import import({});
    EXPECT_TRUE(import.add(hyperfine({1, 2, 3}), file));
    return import.names_suite();
  };
  for (const char* file : {"main-101-1.json.gz", "results-4fd65e2a1c.json", "bench_20261120T100000Z.json",
                           "run3a.json", "run-3.xml", "profile-7.sqlite"})
    EXPECT_FALSE(named(file)) << file;
  for (const char* file : {"nightly.json", "main/bench.json", "h200-results.json"})
    EXPECT_TRUE(named(file)) << file;
}

}  // namespace
}  // namespace harness
