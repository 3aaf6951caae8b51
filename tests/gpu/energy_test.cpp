// The counter of energy of a real GPU, and calls that follow each other without a pause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "harness/measure/energy/energy_fit.h"
#include "harness/measure/worker/worker.h"
#include "tests/gpu/lab.h"
#include "tests/model/fact_matchers.h"  // prints a cause

namespace harness::gpu {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

class Energies : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure() && !sensors().watch_energy()())
      GTEST_SKIP() << "this GPU has no counter of energy, or shares it";
  }
};

TEST_F(Energies, AreCountedInStepsWhileTheGpuIdles) {
  ASSERT_TRUE(timer().preheat(0.05));
  const auto watch = sensors().watch_energy();
  timer().idle(1);
  const auto log = watch();
  ASSERT_TRUE(log);
  EXPECT_FALSE(log->went_back);
  EXPECT_FALSE(log->fell_silent);
  ASSERT_GE(log->steps.size(), 3U);
  for (std::size_t i = 0; i < log->steps.size(); ++i) {
    EXPECT_LT(log->steps[i].after, log->steps[i].before);
    EXPECT_LE(log->steps[i == 0 ? 0 : i - 1].after, log->steps[i].after);
  }
  const auto watts = power_of_idling(*log);
  ASSERT_TRUE(watts);
  EXPECT_THAT(*watts, AllOf(Gt(5), Lt(400)));
  RecordProperty("idle_watts", std::to_string(*watts));
  RecordProperty("reading_ms", std::to_string(log->reading * 1e3));
  RecordProperty("steps_in_a_second", std::to_string(log->steps.size()));
}

TEST_F(Energies, HaveAPowerLimit) {
  const auto cap = sensors().power_cap();
  ASSERT_TRUE(cap);
  EXPECT_THAT(*cap, AllOf(Gt(30), Lt(3000)));
}

TEST_F(Energies, ComeFromRoundsThatFollowEachOther) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 24));
  ASSERT_TRUE(timer().time_first_call(copy.work()));
  constexpr int calls = 64;
  const Seconds began = timer().now();
  const auto progress = timer().work_through({[&](sdk::Stream stream) {
                                                for (int i = 0; i < calls; ++i) copy.run(stream);
                                              },
                                              calls},
                                             0.3);
  const Seconds ended = timer().now();
  ASSERT_TRUE(progress) << progress.error().text();
  ASSERT_GE(progress->size(), 10U);
  EXPECT_EQ(progress->front().calls, 0);
  for (std::size_t i = 1; i < progress->size(); ++i) {
    EXPECT_EQ((*progress)[i].calls, static_cast<std::int64_t>(i) * calls);
    EXPECT_GT((*progress)[i].at, (*progress)[i - 1].at);
    EXPECT_GE((*progress)[i].idle, (*progress)[i - 1].idle);
  }
  EXPECT_GE(progress->front().at, began - 1e-3) << "on the host's clock";
  EXPECT_LE(progress->back().at, ended + 1e-3);
  const auto steady = steady_calls(*progress, progress->front().at + 0.05);
  ASSERT_TRUE(steady);
  EXPECT_LT(steady->idle, 0.1 * steady->span) << "rounds are queued ahead";
  EXPECT_LT(copy.error(), 1e-6);
}

TEST_F(Energies, OfLongRoundsEndSoonAfterTheTimeThatWasAskedFor) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 26));
  ASSERT_TRUE(timer().time_first_call(copy.work()));
  const auto rounds_of = [&](int calls, Seconds duration) {
    return timer().work_through({[&copy, calls](sdk::Stream stream) {
                                   for (int i = 0; i < calls; ++i) copy.run(stream);
                                 },
                                 calls},
                                duration);
  };
  const auto few = rounds_of(16, 0.1);
  ASSERT_TRUE(few) << few.error().text();
  const auto call = steady_calls(*few, few->front().at);
  ASSERT_TRUE(call);
  const auto progress = rounds_of(std::max(1, static_cast<int>(0.05 / call->call())), 0.06);
  ASSERT_TRUE(progress) << progress.error().text();
  EXPECT_GE(progress->size(), 3U) << "its begin, and the ends of two rounds of 50 ms";
  EXPECT_LE(progress->size(), 4U);
}

// The device can be used after it.
TEST_F(Energies, LetTheExceptionOfARoundThrough) {
  Bound copy(device(), catalog(), "probe", "copy", probe_params(1 << 20));
  int rounds = 0;
  const Round round{[&](sdk::Stream stream) {
                      if (++rounds == 3) throw std::runtime_error("no more");
                      copy.run(stream);
                    },
                    1};
  EXPECT_THROW((void)timer().work_through(round, 0.1), std::runtime_error);
  ASSERT_TRUE(timer().synchronize());
  EXPECT_LT(copy.error(), 1e-6);
}

TEST_F(Energies, AndSustainedTimesAreInTheRecordOfACase) {
  PlannedCase planned = planned_probe("copy", 1 << 24);
  planned.metrics = {"energy", "sustained_time"};
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  double joules = 0, us = 0;
  for (const Series& series : result.series) {
    const double value = series.processes.at(0).placements.at(0).samples.at(0);
    if (series.metric == "energy") joules = value;
    if (series.metric == "sustained_time") us = value;
  }
  ASSERT_GT(us, 1);
  EXPECT_THAT(joules / (us * 1e-6), AllOf(Gt(30), Lt(2000))) << "watts";
  const auto window = std::find_if(result.notes.begin(), result.notes.end(),
                                   [](const Note& one) { return one.code == NoteCode::energy_window; });
  ASSERT_NE(window, result.notes.end());
  EXPECT_THAT(window->number("open"), AllOf(Gt(0), Lt(0.1)));
  EXPECT_GE(window->count("steps"), 6);
  for (const Figure& one : window->figures)
    RecordProperty(one.name, std::to_string(window->number(one.name)));
}

TEST_F(Energies, OfCallsThatWaitForTheDeviceAreMeasuredToo) {
  PlannedCase planned = planned_probe("waits", 1024);
  planned.sampling.gate_deadline = 0.05;
  planned.metrics = {"energy", "sustained_time"};
  const ProcessResult result = measure_case(device(), catalog(), planned, 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
}

}  // namespace
}  // namespace harness::gpu
