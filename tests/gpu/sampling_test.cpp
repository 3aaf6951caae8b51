// What the sampling protocol asks of a GPU: a clock that settles, buffers that move, memory that is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/measure/preheat.h"
#include "harness/measure/worker.h"
#include "tests/gpu/lab.h"

namespace harness::gpu {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

class CudaSampling : public GpuTest {};

TEST_F(CudaSampling, PreheatsUntilTheClockIsSteadyWithinItsBounds) {
  const Seconds begin = device().now();
  const Result<Preheated> done = preheat(device(), {0.2, 1.0, 0.005});
  const Seconds elapsed = device().now() - begin;
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_GE(elapsed, 0.2);
  EXPECT_LT(elapsed, 2.0);
  EXPECT_GT(done->clock_ghz, 0.2);
  EXPECT_LT(done->clock_ghz, 4.0);
}

TEST_F(CudaSampling, PreheatsAgainNoLongerThanASixthAndFindsItsClock) {
  Sampling sampling;
  Warmth warmth;
  const Result<Preheated> first = reheat(device(), sampling, warmth);  // it is not known to have worked
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_NEAR(first->duration, sampling.preheat / 6, 1e-6);
  const Result<Preheated> again = reheat(device(), sampling, warmth);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_LE(again->duration, sampling.preheat / 6 + 1e-6);
  EXPECT_GT(again->clock_ghz, 0);
}

TEST_F(CudaSampling, CountsTheMemoryThatACaseTakes) {
  const auto before = device().allocate(32 * megabyte);
  ASSERT_TRUE(before) << before.error().text();
  device().begin_memory();
  const auto nothing = device().peak_memory();
  ASSERT_TRUE(nothing);
  EXPECT_LT(*nothing, 8 * megabyte) << "what lived before is not the case's";
  const auto buffer = device().allocate(256 * megabyte);
  ASSERT_TRUE(buffer) << buffer.error().text();
  const auto peak = device().peak_memory();
  ASSERT_TRUE(peak);
  EXPECT_GE(*peak, 256 * megabyte);
  EXPECT_LT(*peak, 280 * megabyte);
}

TEST_F(CudaSampling, TakesAnotherStreamForEachPlacement) {
  std::set<void*> streams;
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(device().begin_placement());
    streams.insert(device().stream().handle);
  }
  EXPECT_EQ(streams.size(), 16U);
  ASSERT_TRUE(device().begin_placement());
  EXPECT_EQ(streams.count(device().stream().handle), 1U) << "made once";
}

TEST_F(CudaSampling, TimesWorkThatIsOnTheDefaultStreamByMistake) {
  constexpr std::int64_t elements = 16 << 20;
  Bound copy(device(), catalog(), "probe", "copy", probe_params(elements));
  Bound astray(device(), catalog(), "probe", "by_default", probe_params(elements));
  ASSERT_TRUE(device().begin_placement());
  const double right = copy.median({.cache = CacheMode::cold});
  const double wrong = astray.median({.cache = CacheMode::cold});
  EXPECT_GT(wrong, 0.8 * right) << "it is between the events all the same";
}

TEST_F(CudaSampling, FailsACaseWhoseWorkIsQueuedElsewhere) {
  PlannedCase planned;
  planned.id = "probe/elsewhere";
  planned.workload = "probe";
  planned.variant = "elsewhere";
  planned.device = "cuda";
  planned.params = probe_params(1024);
  planned.sampling.placements = 2;
  planned.sampling.samples = 10;
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  // Should its first result be looked at before it is there, that is as good a reason.
  if (result.outcome == Outcome::incorrect) return;
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, testing::HasSubstr("queues nothing on the stream that it is given"));
}

TEST_F(CudaSampling, HandsOutOtherBlocksWhileTheOldOnesLive) {
  const auto first = device().allocate(4 * megabyte);
  ASSERT_TRUE(first) << first.error().text();
  const auto second = device().allocate(4 * megabyte);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_NE((*first)->data(), (*second)->data());
}

}  // namespace
}  // namespace harness::gpu
