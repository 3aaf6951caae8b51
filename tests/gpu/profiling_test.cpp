// Looking into kernels on a GPU: what CUPTI sees, what the counters say, and that neither leaves a trace in
// what is timed afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

using testing::HasSubstr;

constexpr std::int64_t large = 16 << 20;  // floats: 64 MB in and out, beyond the L2
constexpr std::int64_t small = 2 << 20;   // 8 MB in and out, inside it

class Profiling : public GpuTest {
 protected:
  static std::vector<KernelUse> kernels(Bound& bound, CacheMode cache, int calls = 1) {
    auto found = profiler().kernels(bound.work(), {.cache = cache, .calls = calls});
    if (!found) throw std::runtime_error(found.error().text());
    return *found;
  }
  static Bound copy(std::int64_t elements) {
    return {device(), catalog(), "probe", "copy", probe_params(elements)};
  }
  // Values by name; a test that needs one that is missing is skipped with the reason, because counters may
  // be for administrators.
  static std::map<std::string, double> counters(Bound& bound, CacheMode cache,
                                                const std::vector<std::string>& names, std::string& missing) {
    auto found = profiler().counters(bound.work(), cache, names);
    if (!found) throw std::runtime_error(found.error().text());
    std::map<std::string, double> values;
    for (const CounterValue& one : *found) {
      if (one.value)
        values[one.name] = *one.value;
      else
        missing = one.name + ": " + (one.missing ? std::string(name_of(one.missing->code)) : "");
    }
    return values;
  }
};

TEST_F(Profiling, LooksAtCallsThatFollowEachOther) {
  Bound bound = copy(small);
  const auto one = kernels(bound, CacheMode::hot);
  const auto in_a_row = kernels(bound, CacheMode::hot, 8);
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(in_a_row.size(), 1U);
  EXPECT_EQ(in_a_row[0].launches, 1) << "of each call";
  EXPECT_EQ(in_a_row[0].grid, one[0].grid);
  EXPECT_NEAR(in_a_row[0].us, one[0].us, 0.5 * one[0].us);
  Bound twenty(device(), catalog(), "probe", "twenty", probe_params(1024));
  const auto many = kernels(twenty, CacheMode::cold, 8);
  ASSERT_EQ(many.size(), 1U);
  EXPECT_EQ(many[0].launches, 20);
}

TEST_F(Profiling, SeesTheKernelOfACallWithItsShapeAndTime) {
  ASSERT_TRUE(timer().preheat(0.3));  // a clock on its way up tells the two apart
  Bound bound = copy(large);
  const double event_us = 1e6 * bound.median({.cache = CacheMode::cold});
  const std::vector<KernelUse> seen = kernels(bound, CacheMode::cold);
  ASSERT_EQ(seen.size(), 1u) << "the eviction of the cache must not be among them";
  EXPECT_THAT(seen[0].name, HasSubstr("copy"));
  EXPECT_EQ(seen[0].launches, 1);
  EXPECT_GT(seen[0].grid[0], 0);
  EXPECT_GT(seen[0].block[0], 0);
  EXPECT_GT(seen[0].registers, 0);
  // Two events with nothing between them are no part of what the profiler tells.
  const std::optional<Control> control = timer().control();
  ASSERT_TRUE(control && control->pair);
  // 1.5 us over many processes (tests/instrument); one has an offset of up to 0.3 us of its own.
  EXPECT_NEAR(seen[0].us, event_us - *control->pair, 0.01 * event_us + 1.8);
}

TEST_F(Profiling, TellsTheKernelTimeOfACaseInEachProcess) {
  PlannedCase planned = planned_probe("copy", large);
  planned.metrics = {"time", "kernel_time"};
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  ASSERT_EQ(result.series.size(), 2U);
  EXPECT_EQ(result.series[1].metric, "kernel_time");
  EXPECT_EQ(result.series[0].metric, "gpu_time");
  const auto value = [&](std::size_t series) {
    return result.series[series].processes.at(0).placements.at(0).samples.at(0);
  };
  EXPECT_NEAR(value(1), value(0), 0.2 * value(0));
}

TEST_F(Profiling, SeesTheSameAgainAfterItWasDetached) {
  Bound bound = copy(small);
  (void)bound.median({.cache = CacheMode::hot}, 5);
  const std::vector<KernelUse> first = kernels(bound, CacheMode::hot);
  const std::vector<KernelUse> second = kernels(bound, CacheMode::hot);
  ASSERT_EQ(first.size(), second.size());
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first[0].name, second[0].name);
  EXPECT_EQ(first[0].launches, second[0].launches);
}

TEST_F(Profiling, LeavesEventTimesAsTheyWere) {
  Bound bound = copy(large);
  ASSERT_TRUE(timer().preheat(0.3));
  const double before = bound.median({.cache = CacheMode::cold}, 200);
  const Seconds begin = timer().now();
  (void)kernels(bound, CacheMode::cold);
  const Seconds spent = timer().now() - begin;
  std::string missing;
  (void)counters(bound, CacheMode::cold, {"dram__bytes_read.sum"}, missing);
  ASSERT_TRUE(timer().preheat(0.3));
  const double after = bound.median({.cache = CacheMode::cold}, 200);
  RecordProperty("kernels_pass_ms", static_cast<int>(spent * 1e3));
  RecordProperty("before_ns", static_cast<int>(before * 1e9));
  RecordProperty("after_ns", static_cast<int>(after * 1e9));
  EXPECT_NEAR(after / before, 1, 0.03) << "a kernel that a profiler still watches takes a tenth longer";
  EXPECT_EQ(timer().time(bound.work(), {})->gate_forced, false);
}

// Modules are loaded once a process, so this wants to be the first test of one, as under ctest; or:
// test_gpu --gtest_filter='*KnowsTheMachineCode*'
TEST_F(Profiling, KnowsTheMachineCodeOfAKernelThatItSawBeingLoaded) {
  profiler().enter({"probe/copy", 1, -1});
  Bound bound = copy(small);
  ASSERT_TRUE(timer().time_first_call(bound.work()));
  const std::vector<KernelUse> seen = kernels(bound, CacheMode::hot);
  ASSERT_EQ(seen.size(), 1u);
  if (seen[0].code.empty() && testing::UnitTest::GetInstance()->test_to_run_count() > 1)
    GTEST_SKIP() << "the kernel was loaded by another test of this process; run this one alone";
  EXPECT_EQ(seen[0].code.size(), 32u)
      << "no module was seen being loaded, or its image has no section of this name";
}

TEST_F(Profiling, ReadsTheBytesThatACopyMovesThroughDram) {
  Bound bound = copy(large);
  (void)bound.median({.cache = CacheMode::cold}, 5);
  std::string missing;
  const auto values =
      counters(bound, CacheMode::cold, {"dram__bytes_read.sum", "dram__bytes_write.sum"}, missing);
  if (!missing.empty()) GTEST_SKIP() << missing;
  const double bytes = static_cast<double>(large) * 4;
  EXPECT_NEAR(values.at("dram__bytes_read.sum") / bytes, 1, 0.15);
  EXPECT_GT(values.at("dram__bytes_write.sum"), 0);
}

TEST_F(Profiling, ShowsByTheL2HitRateThatCacheModesDoWhatTheySay) {
  Bound bound = copy(small);
  (void)bound.median({.cache = CacheMode::hot}, 20);
  std::string missing;
  const std::vector<std::string> names{"dram__bytes_read.sum", "lts__t_sector_hit_rate.pct"};
  const auto hot = counters(bound, CacheMode::hot, names, missing);
  const auto cold = counters(bound, CacheMode::cold, names, missing);
  if (!missing.empty()) GTEST_SKIP() << missing;
  const double bytes = static_cast<double>(small) * 4;
  RecordProperty("hot_hit_rate", static_cast<int>(hot.at("lts__t_sector_hit_rate.pct")));
  RecordProperty("cold_hit_rate", static_cast<int>(cold.at("lts__t_sector_hit_rate.pct")));
  EXPECT_LT(hot.at("dram__bytes_read.sum"), 0.2 * bytes) << "what fits the L2 is read from there";
  EXPECT_GT(cold.at("dram__bytes_read.sum"), 0.8 * bytes) << "after an eviction it comes from DRAM";
  EXPECT_GT(hot.at("lts__t_sector_hit_rate.pct"), cold.at("lts__t_sector_hit_rate.pct") + 10);
}

TEST_F(Profiling, GivesAReasonForACounterThatTheGpuDoesNotHave) {
  Bound bound = copy(small);
  (void)bound.median({.cache = CacheMode::hot}, 5);
  std::string missing;
  const auto values =
      counters(bound, CacheMode::hot, {"dram__bytes_raed.sum", "dram__bytes_read.sum"}, missing);
  EXPECT_FALSE(values.contains("dram__bytes_raed.sum"));
  EXPECT_FALSE(missing.empty());
}

}  // namespace
}  // namespace harness::gpu
