#include "harness/measure/rules/floor.h"

#include <gtest/gtest.h>

#include "tests/measure/cases.h"

namespace harness {
namespace {

const std::map<std::string, double> h200{{"copy_bytes_per_s", 4e12}, {"gemm_flops_per_s", 700e12}};

ProcessResult timed(double us) {
  ProcessResult result;
  result.series.push_back({"gpu_time", "us", Direction::lower_is_better, {}});
  result.series[0].processes.emplace_back().placements.emplace_back().samples = {us, us, us};
  return result;
}

PlannedCase of_work(double flops, double bytes, CacheMode cache = CacheMode::cold) {
  PlannedCase planned = planned_line("right");
  planned.device = "cuda";
  planned.flops = flops;
  planned.bytes = bytes;
  planned.sampling.cache = cache;
  return planned;
}

TEST(Floor, ATimeThatNoDeviceReachesIsIncorrect) {
  const std::optional<Cause> cause = below_floor(of_work(4e12, 0), h200, timed(0.03));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->code, CauseCode::faster_than_possible);
  EXPECT_EQ(cause->text("bound"), "compute");
  EXPECT_EQ(cause->number("call"), 0.03e-6);
  EXPECT_NEAR(cause->number("least"), 4.0 / 5600, 1e-9);
}

TEST(Floor, MemoryAllowsWhatTheModeLeavesInTheCache) {
  const PlannedCase cold = of_work(0, 8e9);
  EXPECT_TRUE(below_floor(cold, h200, timed(900)));
  EXPECT_EQ(below_floor(cold, h200, timed(900))->text("bound"), "memory");
  EXPECT_FALSE(below_floor(cold, h200, timed(1000))) << "a ceiling may have been measured at half the rate";
  EXPECT_FALSE(below_floor(cold, h200, timed(1600)));
  const PlannedCase hot = of_work(0, 8e9, CacheMode::hot);
  EXPECT_FALSE(below_floor(hot, h200, timed(1000)));
  EXPECT_TRUE(below_floor(hot, h200, timed(100)));
}

TEST(Floor, SeveralGpusAreAsMuchFaster) {
  PlannedCase planned = of_work(5.6e12, 0);
  planned.gpus = 2;
  EXPECT_FALSE(below_floor(planned, h200, timed(500)));
  EXPECT_TRUE(below_floor(planned, h200, timed(450)));
}

TEST(Floor, BeginsAtNinetyFivePercent) {
  const PlannedCase planned = of_work(5.6e12, 0);  // 1000 us
  EXPECT_TRUE(below_floor(planned, h200, timed(949)));
  EXPECT_FALSE(below_floor(planned, h200, timed(951)));
}

// Rates of an H200, beyond which no honest kernel comes: cold at 4.8 TB/s, in the L2 and in the L1 of all
// multiprocessors at 33 TB/s, and sparse eight-bit products.
TEST(Floor, IsBelowWhatAnHonestKernelReaches) {
  EXPECT_FALSE(below_floor(of_work(0, 8e9), h200, timed(8e9 / 4.8e6)));
  for (const CacheMode cache : {CacheMode::hot, CacheMode::rotate, CacheMode::cold})
    EXPECT_FALSE(below_floor(of_work(0, 20e6, cache), h200, timed(20e6 / 33e6)));
  EXPECT_FALSE(below_floor(of_work(4e12, 0), h200, timed(4e12 / 3958e6)));
}

// Its ceilings may have been measured while other processes had the cores.
TEST(Floor, OfACpuIsUnknown) {
  PlannedCase planned = of_work(4e12, 8e9);
  EXPECT_TRUE(below_floor(planned, h200, timed(0.03)));
  planned.device = "cpu";
  EXPECT_FALSE(below_floor(planned, h200, timed(0.03)));
}

TEST(Floor, SaysNothingWhereSomethingIsUnknown) {
  EXPECT_FALSE(below_floor(of_work(0, 0), h200, timed(0.03)));
  EXPECT_FALSE(below_floor(of_work(4e12, 8e9), {}, timed(0.03)));
  EXPECT_FALSE(below_floor(of_work(4e12, 8e9), h200, ProcessResult{}));
  ProcessResult failed = timed(0.03);
  failed.outcome = Outcome::failed;
  EXPECT_FALSE(below_floor(of_work(4e12, 8e9), h200, failed));
}

}  // namespace
}  // namespace harness
