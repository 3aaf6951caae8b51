// That each cache mode does what it says, told by time: a copy that fits in L2 is slower from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

class CacheModes : public GpuTest {};

constexpr std::int64_t elements = 2 << 20;  // 8 MB in, 8 MB out: inside L2

TEST_F(CacheModes, AreToldApartByTheTimeOfACopyThatFitsInTheCache) {
  PlannedCase planned = planned_probe("copy", elements);
  planned.sampling.samples = 30;
  std::map<CacheMode, double> means;
  for (const CacheMode cache : {CacheMode::cold, CacheMode::hot, CacheMode::rotate}) {
    planned.id = "probe/copy/" + std::string(name_of(cache));
    planned.sampling.cache = cache;
    const ProcessResult result = measure_case(device(), catalog(), planned, 1);
    ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
    double sum = 0;
    for (const Placement& placement : result.series[0].processes[0].placements)
      for (const double sample : placement.samples) sum += sample;
    means[cache] = sum / 60;
    RecordProperty(std::string(name_of(cache)) + "_us", std::to_string(means[cache]));
  }
  EXPECT_GT(means[CacheMode::cold], 1.15 * means[CacheMode::hot]);
  EXPECT_GT(means[CacheMode::rotate], 1.15 * means[CacheMode::hot]);
}

TEST_F(CacheModes, ColdIsColdWhateverCameBetweenTwoSamples) {
  // A flush is queued ahead, for the next sample; here the cache is filled again before it comes.
  Bound copy(device(), catalog(), "probe", "copy", probe_params(elements));
  const double cold = copy.median({.cache = CacheMode::cold});
  const double hot = copy.median({.cache = CacheMode::hot});
  ASSERT_GT(cold, 1.15 * hot);
  std::vector<double> after_hot, after_a_call;
  for (int i = 0; i < 15; ++i) {
    ASSERT_TRUE(timer().time(copy.work(), {.cache = CacheMode::hot}));
    auto timing = timer().time(copy.work(), {.cache = CacheMode::cold});
    ASSERT_TRUE(timing) << timing.error().text();
    after_hot.push_back(timing->elapsed);
    timer().queue(copy.work());
    timing = timer().time(copy.work(), {.cache = CacheMode::cold});
    ASSERT_TRUE(timing) << timing.error().text();
    after_a_call.push_back(timing->elapsed);
  }
  for (std::vector<double>* times : {&after_hot, &after_a_call}) {
    std::nth_element(times->begin(), times->begin() + 7, times->end());
    EXPECT_GT(times->at(7), 0.93 * cold);
  }
}

TEST_F(CacheModes, ColdIsColdThoughLinesWereAskedToPersist) {
  // Lines that persist would survive the flush's writes; they are made ordinary before each.
  Bound plain(device(), catalog(), "probe", "copy", probe_params(elements));
  const double cold = plain.median({.cache = CacheMode::cold});
  Bound persists(device(), catalog(), "probe", "persists", probe_params(elements));
  const Result<Scope> placement = timer().begin_placement(StreamUse::given_only);
  ASSERT_TRUE(placement) << "the timer sees here that lines may persist now";
  const double kept = persists.median({.cache = CacheMode::cold});
  RecordProperty("cold_us", std::to_string(cold * 1e6));
  RecordProperty("cold_after_persisting_us", std::to_string(kept * 1e6));
  EXPECT_GT(kept, 0.9 * cold);
}

TEST_F(CacheModes, ColdCostsLittleMoreThanItsFlush) {
  Bound empty(device(), catalog(), "probe", "empty", probe_params(1));
  (void)empty.median({.cache = CacheMode::cold}, 5);
  constexpr int samples = 200;
  const Seconds begin = timer().now();
  for (int i = 0; i < samples; ++i) ASSERT_TRUE(timer().time(empty.work(), {.cache = CacheMode::cold}));
  const Seconds each = (timer().now() - begin) / samples;
  RecordProperty("wall_us_of_a_cold_sample", std::to_string(each * 1e6));
  EXPECT_LT(each, 1e-3) << "looking for lines that persist must not wait for anything";
}

}  // namespace
}  // namespace harness::gpu
