// Calls captured in graphs, on a real GPU: what a batch says, and what cannot be captured. Timings are
// compared only where they differ by a large factor.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measure/worker/worker.h"
#include "harness/stats/estimate/slope.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

using testing::HasSubstr;

constexpr TimingOptions hot_gated{.cache = CacheMode::hot, .gated = true};

class GraphBatch : public GpuTest {};

double median_of(Batch& batch, const TimingOptions& options, int samples = 15) {
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    const auto timing = batch.time(options);
    if (!timing) throw std::runtime_error(timing.error().text());
    times.push_back(timing->elapsed);
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  return times[static_cast<std::size_t>(samples / 2)];
}

// Seconds a call, from batches of 50, 100, 200 and 400, whose times must lie on a line.
double slope_of(const NumberedWork& call, const TimingOptions& options = hot_gated) {
  std::vector<double> calls, times;
  for (const int count : {50, 100, 200, 400}) {
    const auto batch = timer().record(count, call);
    if (!batch) throw std::runtime_error(batch.error().text());
    calls.push_back(count);
    times.push_back(median_of(**batch, options));
  }
  const auto line = stats::least_squares(calls, times);
  if (!line || line->off_line > 0.1) throw std::runtime_error("times of batches lie on no line");
  return line->slope;
}

TEST_F(GraphBatch, TellsAnEmptyKernelFromWhatTimingItCosts) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  const double alone = empty.median(hot_gated);
  const double node = slope_of([&](sdk::Stream stream, int) { empty.run(stream); });
  RecordProperty("event_pair_us", std::to_string(alone * 1e6));
  RecordProperty("graph_node_us", std::to_string(node * 1e6));
  EXPECT_GT(node, 0);
  EXPECT_LT(node, 0.6 * alone);
}

TEST_F(GraphBatch, CountsEveryKernelOfACall) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  Bound twenty(device(), catalog(), "probe", "twenty", probe_params(1));
  (void)empty.median(hot_gated, 5);  // loads the code, which nothing may do while calls are captured
  (void)twenty.median(hot_gated, 5);
  const double one = slope_of([&](sdk::Stream stream, int) { empty.run(stream); });
  const double many = slope_of([&](sdk::Stream stream, int) { twenty.run(stream); });
  EXPECT_GT(many, 10 * one);
  EXPECT_LT(many, 40 * one);
}

TEST_F(GraphBatch, AgreesWithEventsWhereACallIsLong) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(16 << 20));
  const double alone = copy.median(hot_gated);
  EXPECT_NEAR(slope_of([&](sdk::Stream stream, int) { copy.run(stream); }) / alone, 1.0, 0.2);
}

TEST_F(GraphBatch, DoesTheWorkOfItsCallsAtEachLaunch) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(100'003));
  (void)copy.median(hot_gated, 1);
  int calls = 0;
  const auto batch = timer().record(3, [&](sdk::Stream stream, int) {
    ++calls;
    copy.run(stream);
  });
  ASSERT_TRUE(batch) << batch.error().text();
  EXPECT_EQ(calls, 3);
  for (int launch = 0; launch < 2; ++launch) {
    copy.poison_outputs();
    EXPECT_NE(copy.error(), 0);
    const auto timing = (*batch)->time(hot_gated);
    ASSERT_TRUE(timing) << timing.error().text();
    EXPECT_FALSE(timing->gate_forced);
    EXPECT_FALSE(timing->launch);
    EXPECT_EQ(copy.error(), 0);
  }
  EXPECT_EQ(calls, 3) << "a graph replays, it does not call";
}

// Work in the first call of a capture leaves right outputs, and no other call has written them.
TEST_F(GraphBatch, ShowsWhatEachOfItsCallsWrote) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(4096));
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  (void)copy.median(hot_gated, 1);
  (void)empty.median(hot_gated, 1);
  int calls = 0;
  const auto batch = timer().record(5, [&](sdk::Stream stream, int call) {
    ++calls;
    call == 0 ? copy.run(stream) : empty.run(stream);
  });
  ASSERT_TRUE(batch) << batch.error().text();
  Buffer& output = copy.output_buffer();
  const auto right = copy.output().data;
  const auto aside = memory().allocate(output.bytes());
  ASSERT_TRUE(aside);
  for (const int watched : {0, 1, 3, 4, 0}) {
    const auto timing = (*batch)->watch(hot_gated, {watched,
                                                    {{output.data(), output.bytes(), 0x3C}},
                                                    {{(*aside)->data(), output.data(), output.bytes()}}});
    ASSERT_TRUE(timing) << timing.error().text();
    sdk::HostBytes seen(output.bytes());
    ASSERT_TRUE(memory().download(seen, **aside));
    if (watched == 0)
      EXPECT_EQ(seen, right);
    else
      EXPECT_EQ(seen, sdk::HostBytes(output.bytes(), std::byte{0x3C})) << watched;
  }
  EXPECT_EQ(calls, 5) << "nothing was captured again";
  ASSERT_TRUE((*batch)->time(hot_gated));
  EXPECT_EQ(copy.output().data, right) << "the batch itself is as it was";
}

TEST_F(GraphBatch, ShowsCallsThatQueueNothing) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(4096));
  (void)copy.median(hot_gated, 1);
  Buffer& output = copy.output_buffer();
  const auto right = copy.output().data;
  const auto aside = memory().allocate(output.bytes());
  ASSERT_TRUE(aside);
  for (const int working : {0, 4}) {
    const auto batch = timer().record(5, [&](sdk::Stream stream, int call) {
      if (call == working) copy.run(stream);
    });
    ASSERT_TRUE(batch) << batch.error().text();
    for (int watched = 0; watched < 5; ++watched) {
      const auto timing = (*batch)->watch(hot_gated, {watched,
                                                      {{output.data(), output.bytes(), 0x3C}},
                                                      {{(*aside)->data(), output.data(), output.bytes()}}});
      ASSERT_TRUE(timing) << timing.error().text();
      sdk::HostBytes seen(output.bytes());
      ASSERT_TRUE(memory().download(seen, **aside));
      if (watched == working)
        EXPECT_EQ(seen, right) << watched;
      else
        EXPECT_EQ(seen, sdk::HostBytes(output.bytes(), std::byte{0x3C})) << watched;
    }
  }
}

TEST_F(GraphBatch, ShowsCallsThatForkTheStream) {
  for (const char* variant : {"forks", "forks_and_works"}) {
    Bound copy(device(), catalog(), "probe", variant, probe_params(4096));
    (void)copy.median(hot_gated, 1);
    const auto batch = timer().record(3, [&](sdk::Stream stream, int) { copy.run(stream); });
    ASSERT_TRUE(batch) << batch.error().text();
    Buffer& output = copy.output_buffer();
    const auto right = copy.output().data;
    const auto aside = memory().allocate(output.bytes());
    ASSERT_TRUE(aside);
    for (int watched = 0; watched < 3; ++watched) {
      const auto timing = (*batch)->watch(hot_gated, {watched,
                                                      {{output.data(), output.bytes(), 0x3C}},
                                                      {{(*aside)->data(), output.data(), output.bytes()}}});
      ASSERT_TRUE(timing) << variant << timing.error().text();
      sdk::HostBytes seen(output.bytes());
      ASSERT_TRUE(memory().download(seen, **aside));
      EXPECT_EQ(seen, right) << variant << watched;
    }
  }
}

TEST_F(GraphBatch, HoldsTenThousandCalls) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  (void)empty.median(hot_gated, 1);
  const auto batch = timer().record(10'000, [&](sdk::Stream stream, int) { empty.run(stream); });
  ASSERT_TRUE(batch) << batch.error().text();
  const auto timing = (*batch)->time(hot_gated);
  ASSERT_TRUE(timing) << timing.error().text();
  EXPECT_FALSE(timing->gate_forced);
  EXPECT_LT(timing->elapsed, 1);
}

class NotCaptured : public GpuTest, public testing::WithParamInterface<const char*> {};

TEST_P(NotCaptured, IsSaidAndLeavesTheDeviceAsGoodAsBefore) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1024));
  ASSERT_TRUE(timer().time_first_call(copy.work())) << "loads the code";
  Bound work(device(), catalog(), "probe", GetParam(), probe_params(1024));
  const auto batch = timer().record(4, [&](sdk::Stream stream, int) { work.run(stream); });
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().kind, ErrorKind::usage) << batch.error().text();
  EXPECT_THAT(batch.error().advice, HasSubstr("timing: events"));
  EXPECT_TRUE(timer().synchronize());
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  EXPECT_GT(empty.median(hot_gated), 0);
  EXPECT_TRUE(timer().record(4, [&](sdk::Stream stream, int) { empty.run(stream); }));
}

INSTANTIATE_TEST_SUITE_P(GraphBatch, NotCaptured,
                         testing::Values("waits", "allocates", "throws", "elsewhere", "refused"),
                         [](const auto& one) { return std::string(one.param); });

TEST_F(GraphBatch, IsColdWhereItsCallsTakeTurnsWithMoreThanTheCache) {
  // 4 MB in and 4 MB out a set.
  constexpr std::int64_t elements = 1 << 20;
  const auto sets = 2 * memory().cache_bytes() / (8 * elements) + 1;
  std::vector<std::unique_ptr<Bound>> bound;
  for (std::size_t i = 0; i < sets; ++i) {
    bound.push_back(std::make_unique<Bound>(device(), catalog(), "probe", "copy", probe_params(elements)));
    ASSERT_TRUE(timer().time_first_call(bound.back()->work()));
  }
  const double hot = slope_of([&](sdk::Stream stream, int) { bound[0]->run(stream); });
  const double rotating = slope_of(
      [&](sdk::Stream stream, int call) { bound[static_cast<std::size_t>(call) % sets]->run(stream); });
  RecordProperty("hot_us", std::to_string(hot * 1e6));
  RecordProperty("rotating_us", std::to_string(rotating * 1e6));
  EXPECT_GT(rotating, 1.15 * hot);
}

TEST_F(GraphBatch, IsWhatACaseIsMeasuredByWhereTheSuiteAsks) {
  PlannedCase planned = planned_probe("copy", 1 << 18);  // 1 MB in, 1 MB out
  planned.sampling.timing = TimingMode::batch;
  std::vector<double> means;
  for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate}) {
    planned.id = "probe/copy/" + std::string(name_of(cache));
    planned.sampling.cache = cache;
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
    ASSERT_TRUE(result.batching && result.control);
    EXPECT_LT(result.batching->off_line, 0.1) << name_of(cache);
    EXPECT_LT(result.control->batched, result.control->call);
    double sum = 0;
    for (const Placement& placement : result.series[0].processes[0].placements)
      for (const double sample : placement.samples) sum += sample;
    means.push_back(sum / 20);
    RecordProperty(std::string(name_of(cache)) + "_us", std::to_string(means.back()));
    RecordProperty(std::string(name_of(cache)) + "_sets", result.input_sets);
  }
  EXPECT_GT(means[1], 1.1 * means[0]) << "cold is slower than hot";
  EXPECT_GT(means[2], 1.1 * means[0]) << "rotating is slower than hot";
}

TEST_F(GraphBatch, OfWorkThatWaitsFailsItsCaseAndNothingElse) {
  PlannedCase planned = planned_probe("waits", 1024);
  planned.sampling.samples = planned.sampling.placements = 1;
  planned.sampling.gate_deadline = 0.05;
  planned.sampling.timing = TimingMode::batch;
  planned.sampling.cache = CacheMode::hot;
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, FactIs(CauseCode::cannot_be_timed));
  EXPECT_TRUE(timer().synchronize());
}

}  // namespace
}  // namespace harness::gpu
