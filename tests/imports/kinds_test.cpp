// How result files of other tools go wrong for their users, one test a kind, each beside an honest user.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judged.h"
#include "made_files.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- Google Benchmark

const Bench copy{"BM_Copy/1024", 100, R"(, "family_index": 0)"},
    copy_again{"BM_Copy/1024", 400, R"(, "family_index": 1)"};

TEST(OutsideKinds, TwoFamiliesOfOneNameAreRefused) {
  const Judged judged = judge(runs({{copy, 1}, {copy_again, 1}}), runs({{copy, 1.1}, {copy_again, 0.91}}));
  EXPECT_EQ(judged.verdict, "refused");
  EXPECT_THAT(judged.message, HasSubstr("->Name"));
  Bench in_ms = copy_again;
  in_ms.unit = "ms";
  EXPECT_EQ(judge(runs({{copy, 1}, {in_ms, 1}}), runs({{copy, 1}, {in_ms, 1}})).verdict, "refused");
}

TEST(OutsideKinds, RepetitionsOfOneFamilyAreNot) {
  const auto twice = [](double now) {
    return fmt::format(R"({{"context": {{}}, "benchmarks": [
      {{"name": "BM_A", "run_name": "BM_A", "run_type": "iteration", "family_index": 0, "repetition_index": 0, "real_time": {0}, "time_unit": "ns"}},
      {{"name": "BM_A", "run_name": "BM_A", "run_type": "iteration", "family_index": 0, "repetition_index": 1, "real_time": {0}, "time_unit": "ns"}},
      {{"name": "BM_A_mean", "run_name": "BM_A", "run_type": "aggregate", "real_time": {0}, "time_unit": "ns"}}]}})",
                       100 * now);
  };
  const auto record = record_of(five(1, twice), "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_EQ(record->cases[0].series[0].processes[0].placements.size(), 2U);
}

TEST(OutsideKinds, OldRepetitionsAndTheirAggregatesAreToldByName) {
  const char* old = R"({"context": {}, "benchmarks": [
    {"name": "BM_A", "iterations": 9, "real_time": 100, "cpu_time": 100, "time_unit": "ns"},
    {"name": "BM_A", "iterations": 9, "real_time": 101, "cpu_time": 100, "time_unit": "ns"},
    {"name": "BM_A_mean", "iterations": 9, "real_time": 100.5, "cpu_time": 100, "time_unit": "ns"},
    {"name": "BM_A_stddev", "iterations": 9, "real_time": 0.7, "cpu_time": 0, "time_unit": "ns"},
    {"name": "BM_A_BigO", "cpu_coefficient": 4.2, "real_coefficient": 6.4, "big_o": "N", "time_unit": "ns"},
    {"name": "BM_A_RMS", "rms": 0.0045}]})";
  const auto record = import_samples(old, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("BM_A"));
  EXPECT_EQ(record->cases[0].series[0].processes[0].placements.size(), 2U);
  EXPECT_FALSE(import_samples(R"({"context": {}, "benchmarks": [
    {"name": "BM_A", "real_time": 100, "time_unit": "ns"}, {"name": "BM_A", "real_time": 400, "time_unit": "ns"}]})",
                              "x"))
      << "without a mean these are two families";
}

TEST(OutsideKinds, AnyUnitOfTimeIsTheSameMetric) {
  const Bench ns{"BM_A", 900000}, us{"BM_A", 900, "", "us"}, ms{"BM_A", 0.9, "", "ms"},
      s{"BM_A", 0.0009, "", "s"};
  for (const Bench& other : {us, ms, s})
    EXPECT_EQ(judge(runs({{ns, 1}}), runs({{other, 1}})).verdict, "unchanged");
  EXPECT_EQ(judge(runs({{ns, 1}}), runs({{us, 1.1}})).verdict, "regressed");
  EXPECT_EQ(judge(runs({{ns, 1}}), runs({{{"BM_A", 9, "", "years"}, 1}})).verdict, "refused");
}

TEST(OutsideKinds, TimesOfThreadsCompareOnlyWhereTheyCountTheSame) {
  const Bench one{"BM_A", 100}, four{"BM_A/threads:4", 100};
  const std::string old = R"(, "library_version": "v1.8.5")", now = R"(, "library_version": "v1.9.5")";
  EXPECT_EQ(judge(runs({{four, 1}}), runs({{four, 4}}, now)).verdict, "not_comparable");
  EXPECT_EQ(judge(runs({{four, 1}}), runs({{four, 1}}, old)).verdict, "told") << "both divide by threads";
  EXPECT_EQ(judge(runs({{one, 1}}), runs({{one, 1}}, now)).verdict, "told") << "another version is shown";
  EXPECT_EQ(judge(runs({{four, 1}}, now), runs({{four, 1}}, now)).verdict, "unchanged");
}

TEST(OutsideKinds, CpuTimeOfAManualTimeInforms) {
  const Bench manual{"gemm/manual_time", 100};
  Files base = runs({{manual, 1}}), noisy = base;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    const std::size_t at = noisy[i].find("\"cpu_time\": ") + 12;
    noisy[i].replace(at, noisy[i].find(',', at) - at, std::to_string(50 * (i + 1)));
  }
  EXPECT_EQ(judge(base, noisy).verdict, "unchanged");
  EXPECT_THAT(judge(base, noisy).of("gemm/manual_time", "cpu_time"), HasSubstr("informs"));
  EXPECT_EQ(judge(runs({{{"gemm"}, 1}}), runs({{{"gemm"}, 1}})).of("gemm", "cpu_time"), "unchanged");
}

TEST(OutsideKinds, ABenchmarkThatFailsIsOneFailedCase) {
  const Bench other{"BM_B", 50}, good{"BM_Gpu", 300},
      bad{"BM_Gpu", 0, R"(, "error_occurred": true, "error_message": "no device")"};
  const Judged judged = judge(runs({{other, 1}, {good, 1}}), runs({{other, 2}, {bad, 1}}));
  EXPECT_EQ(judged.of("BM_B", "wall_time"), "regressed");
  EXPECT_EQ(judged.of("BM_Gpu"), "failed");
}

TEST(OutsideKinds, ASkippedBenchmarkIsASkippedCase) {
  const Bench other{"BM_B", 50}, good{"BM_Gpu", 300},
      left{"BM_Gpu", 0, R"(, "skipped": true, "skip_message": "no GPU here")"};
  const Judged judged = judge(runs({{other, 1}, {good, 1}}), runs({{other, 1}, {left, 1}}));
  EXPECT_EQ(judged.of("BM_B", "wall_time"), "unchanged");
  EXPECT_EQ(judged.of("BM_Gpu"), "missing") << "the baseline measured it";
  EXPECT_EQ(judge(runs({{other, 1}, {left, 1}}), runs({{other, 1}, {left, 1}})).of("BM_Gpu"), "skipped");
}

TEST(OutsideKinds, ValuesThatNobodyNeedsMayBeNoNumbers) {
  const Bench odd{"BM_A", 100, R"(, "misses": NaN, "rate": -Infinity, "share": Infinity)"};
  EXPECT_EQ(judge(runs({{odd, 1}}), runs({{odd, 1}})).verdict, "unchanged");
  Bench none = odd;
  none.time = 0;
  EXPECT_EQ(judge(runs({{odd, 1}, {{"BM_B"}, 1}}), runs({{none, 1}, {{"BM_B"}, 1}})).of("BM_A"), "failed");
  EXPECT_EQ(judge(runs({{odd, 1}, {{"BM_B"}, 1}}), runs({{none, 1}, {{"BM_B"}, 1}})).of("BM_B", "wall_time"),
            "unchanged");
}

TEST(OutsideKinds, ACpuTimeBelowTheTickIsLeftOut) {
  const auto with_cpu = [](double cpu) {
    return five(1, [cpu](double now) {
      return fmt::format(
          R"({{"context": {{}}, "benchmarks": [{{"name": "BM_A", "real_time": {}, "cpu_time": {}, "time_unit": "ns"}}]}})",
          100 * now, cpu * now);
    });
  };
  EXPECT_EQ(judge(with_cpu(0), with_cpu(0)).verdict, "unchanged");
  EXPECT_EQ(judge(with_cpu(15), with_cpu(15)).of("BM_A", "cpu_time"), "unchanged");
}

TEST(OutsideKinds, OnlyAggregatesNameTheOption) {
  const auto record = import_samples(R"({"context": {}, "benchmarks": [
    {"name": "BM_A_mean", "run_name": "BM_A", "run_type": "aggregate", "real_time": 1, "time_unit": "ns"},
    {"name": "BM_B", "run_name": "BM_B", "run_type": "iteration", "error_occurred": true}]})",
                                     "x");
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().front().text(), HasSubstr("--benchmark_report_aggregates_only"));
}

// --- the machine

TEST(OutsideKinds, OtherModelsAreNotComparable) {
  const Bench one{"BM_A", 100};
  const auto built = [](const char* type) {
    return five(1, [type](double now) {
      return fmt::format(R"({{"context": {{"library_build_type": "{}"}}, "benchmarks": [
        {{"name": "BM_A", "real_time": {}, "time_unit": "ns"}}]}})",
                         type, 100 * now);
    });
  };
  EXPECT_EQ(judge(built("release"), built("debug")).verdict, "not_comparable");
  const auto on = [](const char* gpu) {
    return five(1, [gpu](double now) {
      return fmt::format(R"({{"meta": {{"argv": ["./bench"], "version": {{"nvbench": {{}}}}}},
        "devices": [{{"id": 0, "name": "{}", "sm_version": 900}}], "benchmarks": [{{"name": "copy", "states": [
        {{"name": "Device=0", "is_skipped": false, "summaries": [{{"tag": "nv/cold/time/gpu/mean",
        "data": [{{"name": "value", "type": "float64", "value": "{}"}}]}}]}}]}}]}})",
                         gpu, 1e-5 * now);
    });
  };
  EXPECT_EQ(judge(on("NVIDIA H200"), on("NVIDIA H100")).verdict, "not_comparable");
  EXPECT_EQ(judge(on("NVIDIA H200"), on("NVIDIA H200")).verdict, "unchanged");
}

TEST(OutsideKinds, HostsAndClocksOfContainersAreNoReason) {
  const auto in_container = [](const char* host, int mhz) {
    return five(1, [=](double now) {
      return fmt::format(
          R"({{"context": {{"host_name": "{}", "mhz_per_cpu": {}, "num_cpus": 4}}, "benchmarks": [
        {{"name": "BM_A", "real_time": {}, "time_unit": "ns"}}]}})",
          host, mhz, 100 * now);
    });
  };
  for (const char* host : {"4f1c", "9ab2", "77d0"})
    EXPECT_EQ(judge(in_container("0a0a", 2600), in_container(host, 3100)).verdict, "unchanged");
}

TEST(OutsideKinds, WhatMayExplainADifferenceIsShown) {
  const Bench one{"BM_A", 100};
  const Judged judged = judge(runs({{one, 1}}, R"(, "load_avg": [0.1, 0, 0], "cpu_scaling_enabled": false)"),
                              runs({{one, 1}}, R"(, "load_avg": [7.3, 6, 5], "cpu_scaling_enabled": true)"));
  std::vector<std::string> names;
  for (const MachineDifference& one_difference : judged.comparison.differences)
    names.push_back(one_difference.field.name);
  EXPECT_THAT(names, ElementsAre("cpu_scaling_enabled", "load"));
}

// --- files that hold processes of one thing

TEST(OutsideKinds, FilesOfTwoProgramsAreNotProcessesOfOne) {
  const auto bench = [](const char* executable, double time) {
    return fmt::format(R"({{"context": {{"executable": "{}"}}, "benchmarks": [
      {{"name": "BM_Run", "real_time": {}, "time_unit": "ns"}}]}})",
                       executable, time);
  };
  const auto two = record_of({bench("./hash", 100), bench("./sort", 9000)}, "x");
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().front().text(), HasSubstr("--same executable"));
  EXPECT_TRUE(record_of({bench("a/hash", 100), bench("b/hash", 101)}, "x",
                        {.merge = {.may_differ = {{"executable", ""}}}}))
      << "two checkouts of one build";
}

TEST(OutsideKinds, ShardsOfOneBuildMerge) {
  const auto shard = [](const char* name, double time) { return google_benchmark({{name, time}}); };
  const auto record =
      record_of({shard("BM_A", 1), shard("BM_B", 2), shard("BM_A", 1.01), shard("BM_B", 2.02)}, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("BM_A", "BM_B"));
  EXPECT_EQ(record->cases[0].processes.size(), 2U);
}

TEST(OutsideKinds, ACopyIsNoFurtherProcess) {
  const std::string text = google_benchmark({{"BM_A", 100}});
  EXPECT_FALSE(record_of({text, text}, "x"));
  const auto many = [](const char* date) {
    return fmt::format(
        R"({{"results": [{{"command": "job", "times": [1,2,3,4,5,6,7,8,9,10,11,12]}}], "note": "{}"}})",
        date);
  };
  EXPECT_FALSE(record_of({many("a"), many("b")}, "x")) << "the same samples in another text";
  EXPECT_TRUE(record_of({google_benchmark({{"BM_A", 100}}, R"(, "load_avg": [1, 1, 1])"),
                         google_benchmark({{"BM_A", 100}}, R"(, "load_avg": [2, 1, 1])")},
                        "x"))
      << "one value can come again";
}

TEST(OutsideKinds, SeveralHostsOrDaysNeedNamedSessions) {
  const auto on = [](const char* host, const char* date, double time) {
    return fmt::format(R"({{"context": {{"host_name": "{}", "date": "{}"}}, "benchmarks": [
      {{"name": "BM_A", "real_time": {}, "time_unit": "ns"}}]}})",
                       host, date, time);
  };
  const Files hosts{on("a", "2026-11-20T05:40:00", 1), on("b", "2026-11-20T05:41:00", 1.1)};
  const Files days{on("a", "2026-11-20T05:40:00", 1), on("a", "2026-11-21T05:41:00", 1.1)};
  const Files night{on("a", "2026-11-20T23:58:00", 1), on("a", "2026-11-21T00:03:00", 1.1)};
  EXPECT_FALSE(record_of(hosts, "x"));
  EXPECT_FALSE(record_of(days, "x"));
  EXPECT_TRUE(record_of(night, "x"));
  const auto named = record_of(days, "x", {.merge = {.sessions = {{"monday", "x1"}, {"tuesday", "x2"}}}});
  ASSERT_TRUE(named) << named.error().front().text();
  EXPECT_EQ(named->cases[0].series[0].processes[0].session, 1);
  EXPECT_EQ(named->cases[0].series[0].processes[1].session, 2);
  EXPECT_FALSE(record_of(days, "x", {.merge = {.sessions = {{"monday", "x1"}}}}))
      << "a file without a session";
}

// --- hyperfine

Files starts(double factor, int count = 30) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(0.4 * factor * (1 + 0.002 * ((i * 7) % 11 - 5)));
  return {hyperfine(times)};
}

TEST(OutsideKinds, EachRunOfHyperfineIsAProcess) {
  EXPECT_EQ(judge(starts(1), starts(1.5)).verdict, "regressed");
  const Judged same = judge(starts(1), starts(1.0001));
  EXPECT_EQ(same.comparison.rows[0].baseline.processes, 30);
  ASSERT_EQ(same.comparison.remarks.size(), 1U);
  EXPECT_EQ(same.comparison.remarks[0].code, RemarkCode::one_session);
  EXPECT_NE(judge(starts(1), starts(1.06)).verdict, "regressed")
      << "one session tells nothing about the next";
}

TEST(OutsideKinds, AFailedRunIsNoSample) {
  const auto ended = [](double factor, int status) {
    return five(factor, [status](double now) {
      return hyperfine({now, now * 1.01}, fmt::format(R"(, "exit_codes": [0, {}])", status));
    });
  };
  EXPECT_EQ(judge(ended(1, 0), ended(0.1, 3)).verdict, "failed");
  EXPECT_EQ(judge(ended(1, 0), ended(0.1, 0)).verdict, "improved");
  EXPECT_EQ(judge(ended(1, 1), ended(1, 1), {.questions = {.success_exits = {0, 1}}}).verdict, "unchanged")
      << "grep that finds nothing";
  EXPECT_EQ(judge({hyperfine({1, 2}, R"(, "exit_codes": [0])")}, {hyperfine({1, 2})}).verdict, "refused");
}

TEST(OutsideKinds, TheCommandIsNamedWithoutItsFolder) {
  const Files old = {hyperfine({1, 2, 3}, "", "./old/sort 5")},
              now = {hyperfine({1, 2, 3}, "", "/tmp/new/sort 5")};
  EXPECT_THAT(ids_of(*record_of(old, "x")), ElementsAre("sort 5"));
  EXPECT_EQ(judge(old, now).comparison.rows.size(), 1U);
  const auto two = import_samples(
      R"({"results": [{"command": "./old/a", "times": [1]}, {"command": "./new/a", "times": [1]}]})", "x");
  ASSERT_TRUE(two) << "two programs of one name in one file keep their folders";
  EXPECT_THAT(ids_of(*two), ElementsAre("./old/a", "./new/a"));
  const auto same = import_samples(
      R"({"results": [{"command": "./old/a", "times": [1]}, {"command": "./old/a", "times": [1]}]})", "x");
  ASSERT_FALSE(same);
  EXPECT_THAT(same.error().front().text(), HasSubstr("hyperfine -n NAME"));
}

TEST(OutsideKinds, ParametersTellCommandsOfOneNameApart) {
  const auto record = import_samples(R"({"results": [
    {"command": "sleep 0.01", "times": [1], "parameters": {"n": "1"}},
    {"command": "sleep 0.01", "times": [2], "parameters": {"n": "2"}}]})",
                                     "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record), ElementsAre("sleep 0.01/n=1", "sleep 0.01/n=2"));
}

TEST(OutsideKinds, ATimeOfZeroAdvises) {
  const auto record = record_of({hyperfine({0.001, 0, 0.001})}, "x");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->cases[0].outcome, Outcome::failed);
  EXPECT_THAT(record->cases[0].reason->text("advice"), HasSubstr("-N"));
  EXPECT_FALSE(record_of({hyperfine({1, 2, 3}, R"(, "min": 1, "median": 5, "max": 3)")}, "x"))
      << "no tool writes a median above the largest";
}

// --- llama-bench

std::string llama(const std::vector<std::pair<int, double>>& by_threads, const std::string& more = "") {
  std::string text;
  for (const auto& [threads, ns] : by_threads)
    text += fmt::format(
        R"({{"build_commit": "abc1234", "cpu_info": "C", "gpu_info": "G", "model_filename": "m.gguf", )"
        R"("model_type": "llama 7B Q4_0", "n_threads": {}, "n_prompt": 512, "n_gen": 0, "samples_ns": [{}, {}]{}}})"
        "\n",
        threads, ns, ns * 1.001, more);
  return text;
}

Files llama_runs(const std::vector<std::pair<int, double>>& by_threads, const std::string& more = "") {
  return five(1, [&](double now) {
    std::vector<std::pair<int, double>> scaled = by_threads;
    for (auto& [threads, ns] : scaled) ns *= now;
    return llama(scaled, more);
  });
}

TEST(OutsideKinds, SettingsTellTestsApartOverAllFiles) {
  const auto record = record_of({llama({{4, 8e8}}), llama({{8, 4e8}})}, "x");
  ASSERT_TRUE(record) << record.error().front().text();
  EXPECT_THAT(ids_of(*record),
              ElementsAre("llama 7B Q4_0/pp512/n_threads=4", "llama 7B Q4_0/pp512/n_threads=8"));
}

TEST(OutsideKinds, ACaseIsFoundAgainBesideANewOne) {
  const Judged judged = judge(llama_runs({{8, 2e8}}), llama_runs({{8, 2.2e8}, {16, 1e8}}));
  EXPECT_EQ(judged.of("llama 7B Q4_0/pp512/n_threads=8"), "regressed");
  EXPECT_EQ(judged.of("llama 7B Q4_0/pp512/n_threads=16"), "missing");
  EXPECT_EQ(judge(llama_runs({{8, 2e8}, {16, 1e8}}), llama_runs({{8, 2e8}})).of("llama 7B Q4_0/pp512"),
            "unchanged");
}

TEST(OutsideKinds, OtherSettingsAreNotComparable) {
  EXPECT_EQ(judge(llama_runs({{4, 2e8}}), llama_runs({{8, 1e8}})).verdict, "not_comparable");
  EXPECT_EQ(judge(llama_runs({{8, 2e8}}), llama_runs({{8, 2e8}}, R"(, "new_in_this_version": 1)")).verdict,
            "told")
      << "a setting that the older tool did not know";
}

TEST(OutsideKinds, TwoBuildsInOneFileAreRefused) {
  const std::string other = llama({{8, 1e8}}),
                    appended = other + std::string(other).replace(other.find("abc1234"), 7, "def5678");
  EXPECT_FALSE(import_samples(appended, "x"));
  EXPECT_TRUE(import_samples(other + llama({{8, 1.01e8}}), "x")) << "a test that ran twice";
}

// --- rates and units of JSON Lines

Files lines(const std::string& metric, const std::string& unit, double factor, const std::string& more = "") {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += fmt::format(R"({{"case": "c", "metric": "{}", "unit": "{}", "process": {}, "samples": [{}]{}}})",
                        metric, unit, i + 1, 900 * factor * steps[i], more) +
            "\n";
  return {text};
}

TEST(OutsideKinds, RatesKnowWhatIsBetter) {
  for (const char* unit :
       {"GB/s", "GiB/s", "TFLOP/s", "GFLOPS", "tokens/s", "items per second", "requests/sec", "Mbit/s"}) {
    EXPECT_EQ(judge(lines("throughput", unit, 1), lines("throughput", unit, 0.7)).verdict, "regressed")
        << unit;
    EXPECT_EQ(judge(lines("throughput", unit, 1), lines("throughput", unit, 1.3)).verdict, "improved")
        << unit;
  }
  const std::string lower = R"(, "direction": "lower")";
  EXPECT_EQ(judge(lines("throughput", "GB/s", 1, lower), lines("throughput", "GB/s", 0.7, lower)).verdict,
            "improved")
      << "the file says so";
}

TEST(OutsideKinds, AnotherRateInformsUntilADirectionIsGiven) {
  const Judged judged = judge(lines("faults", "faults/s", 1), lines("faults", "faults/s", 0.7));
  EXPECT_THAT(judged.of("c"), HasSubstr("informs"));
  EXPECT_EQ(
      judge(lines("faults", "faults/s", 1), lines("faults", "faults/s", 0.7, R"(, "direction": "higher")"))
          .verdict,
      "not_comparable")
      << "one side alone says what is better";
}

TEST(OutsideKinds, EverySpellingOfATimeIsKnown) {
  for (const char* unit : {"us", "usec", "\xC2\xB5s", "\xCE\xBCs", "microseconds"})
    EXPECT_EQ(judge(lines("gpu_time", "us", 1), lines("gpu_time", unit, 1)).verdict, "unchanged") << unit;
  EXPECT_EQ(judge(lines("gpu_time", "us", 1), lines("gpu_time", "ms", 1e-3)).verdict, "unchanged");
  EXPECT_EQ(judge(lines("gpu_time", "us", 1), lines("gpu_time", "jiffies", 1)).verdict, "refused");
  EXPECT_EQ(judge(lines("gpu_time", "us", 1), lines("gpu_time", "sec", -1)).verdict, "refused");
  EXPECT_EQ(judge(lines("latency", "ms/token", 1), lines("latency", "ms/token", 1)).verdict, "unchanged");
}

// --- trtexec, texts

TEST(OutsideKinds, AFileThatNamesNothingAsks) {
  const std::string text =
      R"([{"computeMs": 1.25, "latencyMs": 1.27}, {"computeMs": 1.26, "latencyMs": 1.28}])";
  const auto record = import_samples(text, "x");
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().front().text(), HasSubstr("--case NAME"));
  const auto named = import_samples(text, "x", {.questions = {.case_name = "resnet50"}});
  ASSERT_TRUE(named);
  EXPECT_THAT(ids_of(*named), ElementsAre("resnet50"));
}

std::string utf16(const std::string& text, bool big) {
  std::string wide = big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : text) {
    if (big) wide += '\0';
    wide += c;
    if (!big) wide += '\0';
  }
  return wide;
}

TEST(OutsideKinds, AnyEncodingOfTheTextIsRead) {
  const std::string text = google_benchmark({{"BM_A", 100}});
  for (const std::string& same : {utf16(text, false), utf16(text, true), "\xEF\xBB\xBF" + text}) {
    const auto record = import_samples(same, "x");
    ASSERT_TRUE(record) << record.error().front().text();
    EXPECT_THAT(ids_of(*record), ElementsAre("BM_A"));
  }
}

TEST(OutsideKinds, AnotherTextIsNamedInOneError) {
  const std::string document = google_benchmark({{"BM_A", 100}});
  const auto only_error = [](const std::string& text) {
    const auto record = import_samples(text, "x");
    if (record) return std::string("accepted");
    return record.error().size() == 1 ? record.error().front().text() : std::string("several errors");
  };
  EXPECT_THAT(only_error(document + "\n" + document), HasSubstr("second document"));
  EXPECT_THAT(only_error("Initialising ... done\n" + document),
              HasSubstr("text before the JSON document, which begins in line 2"));
  EXPECT_THAT(
      only_error("{\n \"version\": 2,\n \"commit_hash\": \"1\",\n \"env_name\": \"e\",\n \"results\": {}\n}"),
      HasSubstr("asv"));
  EXPECT_THAT(only_error("[\n {\"jmhVersion\": \"1.37\"}\n]"), HasSubstr("JMH"));
  EXPECT_THAT(only_error("[{\"count\": 100}, {\"name\": \"conv1\", \"timeMs\": 10.0, \"averageMs\": 0.1}]"),
              HasSubstr("--exportTimes"));
  EXPECT_THAT(only_error("{\n \"some\": {\"other\": [1, 2]}\n}"), HasSubstr("no format known here"));
  EXPECT_THAT(only_error(""), HasSubstr("empty"));
  EXPECT_THAT(only_error("# Read me\n\nwords\n"), HasSubstr("no file of samples"));
}

}  // namespace
}  // namespace harness
