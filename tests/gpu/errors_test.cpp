// An error on a GPU becomes an Error, never a crash or a plausible number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"

namespace harness::gpu {
namespace {

class Errors : public GpuTest {};

PlannedCase probe_case(const std::string& variant) {
  PlannedCase planned = planned_probe(variant, 5000);
  planned.sampling.samples = 5;
  planned.sampling.warmup = 2;
  planned.sampling.preheat = 0;
  planned.sampling.gate_deadline = 0.05;
  planned.metrics = {"time", "first_call", "setup_time", "peak_memory"};
  return planned;
}

ProcessResult measured(const std::string& variant) {
  return measure_case(device(), catalog(), probe_case(variant), 1);
}

TEST_F(Errors, AreAbsentFromAnHonestVariant) {
  const ProcessResult result = measured("copy");
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  ASSERT_EQ(result.series.size(), 4U) << "no metric is missing";
  EXPECT_EQ(result.series[0].metric, "gpu_time");
  ASSERT_EQ(result.series[1].metric, "first_call");
  const double first_call = result.series[1].processes.at(0).placements.at(0).samples.at(0);
  const ProcessSamples& samples = result.series[0].processes.at(0);
  ASSERT_EQ(samples.placements.size(), 2U);
  for (const Placement& placement : samples.placements) {
    EXPECT_EQ(placement.forced_gates, 0);
    EXPECT_GT(placement.clock_ghz, 0);
    ASSERT_EQ(placement.samples.size(), 5U);
    std::vector<double> sorted = placement.samples;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GT(sorted.front(), 0);
    EXPECT_GT(first_call, sorted[2]) << "the first call includes launching and waiting";
  }
}

TEST_F(Errors, OneWrongElementIsIncorrect) {
  const ProcessResult result = measured("off_at_the_end");
  EXPECT_EQ(result.outcome, Outcome::incorrect) << result.reason;
}

TEST_F(Errors, AVariantThatWritesNothingIsIncorrect) {
  EXPECT_EQ(measured("empty").outcome, Outcome::incorrect);
}

TEST_F(Errors, ALaunchThatTheDeviceRefusesIsNotATime) {
  const ProcessResult result = measured("refused");
  EXPECT_TRUE(result.outcome == Outcome::incorrect || result.outcome == Outcome::failed) << result.reason;
  EXPECT_EQ(measured("copy").outcome, Outcome::measured) << "the device goes on working";
}

TEST_F(Errors, AnExceptionIsAFailureWithItsWords) {
  const ProcessResult result = measured("throws");
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.reason, FactIs(CauseCode::threw, {{"what", "thrown by run()"}}));
}

TEST_F(Errors, UnsupportedIsASkipWithItsWords) {
  const ProcessResult result = measured("unsupported");
  EXPECT_EQ(result.outcome, Outcome::skipped);
  EXPECT_THAT(result.reason, FactIs(CauseCode::unsupported, {{"why", "this variant supports nothing"}}));
}

TEST_F(Errors, WorkThatHidesItsWaitingIsMeasuredAndMarked) {
  const ProcessResult result = measured("waits");
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_GT(result.series.at(0).processes.at(0).placements.at(0).forced_gates, 0);
}

// In a process of its own, because nothing can be run there afterwards.
[[noreturn]] void write_out_of_bounds() {
  const std::string reason = obstacle();
  if (!reason.empty()) throw std::runtime_error(reason);
  Bound illegal(device(), catalog(), "probe", "illegal", probe_params(16));
  const auto timing = timer().time(illegal.work(), {.cache = CacheMode::hot, .gated = false});
  const auto later = memory().allocate(16);
  const bool both = !timing && timing.error().kind == ErrorKind::environment && !later;
  std::fprintf(stderr, "first: %s\nlater: %s\n", timing ? "no error" : timing.error().text().c_str(),
               later ? "no error" : later.error().text().c_str());
  std::fflush(stderr);
  std::_Exit(both ? 0 : 1);
}

TEST_F(Errors, AnIllegalAccessEndsTheUseOfTheDeviceAndSaysSo) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(write_out_of_bounds(), testing::ExitedWithCode(0),
              "first: .*unusable in this process(.|\n)*later: .*unusable in this process since");
}

}  // namespace
}  // namespace harness::gpu
