// Requirements of the sampling protocol on a GPU: a clock that settles, buffers that move, memory that is
// counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/worker/preheat.h"
#include "harness/measure/worker/worker.h"
#include "harness/stats/estimate/estimator.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20;

class CudaSampling : public GpuTest {};

double median_us(const ProcessResult& result) {
  std::vector<double> all;
  for (const Placement& placement : result.series.at(0).processes.at(0).placements)
    all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  return stats::median(all);
}

TEST_F(CudaSampling, PreheatsUntilTheClockIsSteadyWithinItsBounds) {
  const Seconds begin = timer().now();
  const Result<Preheated> done = preheat(device(), {0.2, 1.0, 0.005});
  const Seconds elapsed = timer().now() - begin;
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
  const auto before = memory().allocate(32 * megabyte);
  ASSERT_TRUE(before) << before.error().text();
  const Since<std::size_t> watched = memory().watch_peak();
  const auto nothing = watched();
  ASSERT_TRUE(nothing);
  EXPECT_LT(*nothing, 8 * megabyte) << "what lived before is not the case's";
  const auto buffer = memory().allocate(256 * megabyte);
  ASSERT_TRUE(buffer) << buffer.error().text();
  const auto peak = watched();
  ASSERT_TRUE(peak);
  EXPECT_GE(*peak, 256 * megabyte);
  EXPECT_LT(*peak, 280 * megabyte);
}

TEST_F(CudaSampling, TakesAnotherStreamForEachPlacement) {
  const auto stream_now = [] {
    void* handle = nullptr;
    timer().queue([&](sdk::Stream stream) { handle = stream.handle; });
    return handle;
  };
  std::set<void*> all;
  for (const StreamUse use : {StreamUse::given_only, StreamUse::any}) {
    std::set<void*> streams;
    Scope placement;
    for (int i = 0; i < 33; ++i) {
      Result<Scope> begun = timer().begin_placement(use);
      ASSERT_TRUE(begun) << begun.error().text();
      placement = std::move(*begun);
      const bool is_new = streams.insert(stream_now()).second;
      EXPECT_EQ(is_new, i < 32) << "made once";
    }
    all.merge(streams);
  }
  EXPECT_EQ(all.size(), 64U) << "two kinds of them";
  EXPECT_EQ(all.count(stream_now()), 0U) << "between placements it is none of theirs";
}

TEST_F(CudaSampling, TellsWhatItsStreamsAre) {
  const Machine machine = sensors().fingerprint();
  const auto streams = std::find_if(machine.fields.begin(), machine.fields.end(),
                                    [](const MachineField& field) { return field.name == "streams"; });
  ASSERT_NE(streams, machine.fields.end());
  EXPECT_EQ(streams->value, "green contexts") << "of a driver since 12.5";
}

TEST_F(CudaSampling, SeesWhetherACallKeepsToItsStreamWithoutRunningIt) {
  const auto keeps = [&](const std::string& variant) {
    Bound one(device(), catalog(), "probe", variant, probe_params(1024));
    one.poison_outputs();
    const sdk::HostTensor before = one.output();
    const Result<bool> kept = timer().keeps_to_stream(one.work());
    EXPECT_TRUE(kept) << kept.error().text();
    EXPECT_TRUE(timer().synchronize()) << "nothing is left of " << variant;
    if (variant != "elsewhere") {
      EXPECT_EQ(one.output().data, before.data) << variant;
    }
    return kept.value_or(false);
  };
  EXPECT_TRUE(keeps("copy"));
  EXPECT_TRUE(keeps("ten_thousand"));
  EXPECT_FALSE(keeps("by_default"));
  EXPECT_FALSE(keeps("partly_by_default"));
  EXPECT_FALSE(keeps("waits"));
  EXPECT_FALSE(keeps("throws"));
  EXPECT_FALSE(keeps("elsewhere")) << "nothing is on the stream that it was given";
}

// A quarter of the work is on the stream of the placement, which must then be one that waits for the default
// stream.
TEST_F(CudaSampling, TimesWorkThatIsOnTheDefaultStreamByMistake) {
  const auto measured = [&](const std::string& variant) {
    return measure_case(device(), catalog(), planned_probe(variant, 16 << 20), 1);
  };
  const ProcessResult right = measured("copy");
  ASSERT_EQ(right.outcome, Outcome::measured) << right.reason;
  EXPECT_THAT(right.notes, testing::Not(testing::Contains(FactIs(NoteCode::plain_streams))));
  for (const char* variant : {"by_default", "partly_by_default"}) {
    const ProcessResult wrong = measured(variant);
    EXPECT_THAT(wrong.notes, testing::Contains(FactIs(NoteCode::plain_streams))) << variant;
    ASSERT_EQ(wrong.outcome, Outcome::measured) << variant << ": " << wrong.reason;
    EXPECT_GT(median_us(wrong), 0.8 * median_us(right)) << variant;
  }
}

TEST_F(CudaSampling, FailsACaseWhoseWorkIsQueuedElsewhere) {
  const ProcessResult result = measure_case(device(), catalog(), planned_probe("elsewhere", 1024), 1);
  // Should its first result be looked at before it is there, that is as good a reason.
  if (result.outcome == Outcome::incorrect) return;
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, FactIs(CauseCode::queues_nothing));
}

TEST_F(CudaSampling, HandsOutOtherBlocksWhileTheOldOnesLive) {
  const auto first = memory().allocate(4 * megabyte);
  ASSERT_TRUE(first) << first.error().text();
  const auto second = memory().allocate(4 * megabyte);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_NE((*first)->data(), (*second)->data());
}

}  // namespace
}  // namespace harness::gpu
