// Pauses and readings of the clock, on a real GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"  // prints a cause

namespace harness::gpu {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

class Pace : public GpuTest {};

TEST_F(Pace, IdlesBeforeACallAndTimesTheCallAlone) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 20));
  ASSERT_TRUE(timer().time_first_call(copy.work()));
  for (const CacheMode cache : {CacheMode::hot, CacheMode::cold})
    for (const Seconds pause : {30e-6, 5e-3}) {
      ASSERT_TRUE(timer().time(copy.work(), {.cache = cache}));
      const Seconds begin = timer().now();
      const auto timing = timer().time(copy.work(), {.cache = cache, .pause = pause});
      ASSERT_TRUE(timing) << timing.error().text();
      EXPECT_GE(timer().now() - begin, pause);
      EXPECT_LT(timing->elapsed, 1e-3) << "the pause is no part of it";
      EXPECT_FALSE(timing->gate_forced);
    }
}

TEST_F(Pace, LeavesAColdCacheCold) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(2 << 20));
  EXPECT_GT(copy.median({.cache = CacheMode::cold, .pause = 100e-6}),
            1.15 * copy.median({.cache = CacheMode::hot, .pause = 100e-6}));
}

TEST_F(Pace, ReadsTheClockOfEachCallNearTheDevices) {
  ASSERT_TRUE(timer().preheat(0.02));
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 18));
  ASSERT_TRUE(timer().time_first_call(copy.work()));
  const double ghz = sensors().clock_ghz();
  ASSERT_GT(ghz, 0);
  double sum = 0;
  for (int i = 0; i < 50; ++i) {
    const auto timing = timer().time(copy.work(), {.pause = i % 2 == 0 ? 0 : 100e-6, .reads_clock = true});
    ASSERT_TRUE(timing) << timing.error().text();
    EXPECT_THAT(timing->clock_ghz, AllOf(Gt(0.9 * ghz), Lt(1.02 * ghz)));
    sum += timing->clock_ghz;
  }
  RecordProperty("clock_ghz", std::to_string(ghz));
  RecordProperty("clock_ghz_of_calls", std::to_string(sum / 50));
  EXPECT_THAT(sum / 50, AllOf(Gt(0.97 * ghz), Lt(1.005 * ghz)));
}

TEST_F(Pace, ReadsNoClockThatNobodyAsksFor) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  ASSERT_TRUE(timer().time_first_call(empty.work()));
  const auto timing = timer().time(empty.work(), {});
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->clock_ghz, 0);
}

TEST_F(Pace, OfACaseIsInItsRecord) {
  PlannedCase planned = planned_probe("copy", 1 << 24);  // 64 MB in, 64 MB out
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  for (const Placement& placement : result.series[0].processes[0].placements) {
    EXPECT_THAT(placement.duty, AllOf(Gt(0.05), Lt(0.6)));
    EXPECT_GT(placement.clock_ghz, 0.2);
  }
}

TEST_F(Pace, OfTimingIsChosenByTheCall) {
  const auto chosen = [](const std::string& variant, std::int64_t elements) {
    PlannedCase planned = planned_probe(variant, elements);
    planned.sampling.timing = TimingMode::automatic;
    planned.sampling.gate_deadline = 0.05;
    return measure_case(device(), catalog(), planned, 1);
  };
  EXPECT_EQ(chosen("copy", 1 << 18).timing, TimingMode::batch);
  EXPECT_EQ(chosen("copy", 1 << 26).timing, TimingMode::events);  // 512 MB take 120 us and more
  const ProcessResult waits = chosen("waits", 1024);
  EXPECT_EQ(waits.timing, TimingMode::events);
  EXPECT_EQ(waits.outcome, Outcome::measured) << waits.reason;
}

}  // namespace
}  // namespace harness::gpu
