// The phases of a case's measurement, and when and under which conditions its placements were measured.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>

#include "harness/measure/worker/phases.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AnyOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;
using trial::Right;

class NanOnce : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    y_[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<Right>("right"));
  registry.add(trial::variant<NanOnce>("nan"));
}

ProcessResult measure(const PlannedCase& planned, const std::string& script, int process = 1) {
  return measure_case(*scripted(script), catalog_of(register_all), planned, process);
}

constexpr const char* steady = R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})";

std::vector<Placement> placements_of(const ProcessResult& result) {
  return result.series.at(0).processes.at(0).placements;
}

TEST(MeasuredPhases, AddUpInTheOrderInWhichTheyFirstEnd) {
  const ProcessResult result = measure(planned_line("right"), steady);
  std::vector<std::string> names;
  for (const Phase& phase : result.phases) names.push_back(phase.name);
  EXPECT_THAT(names,
              ElementsAre("construct", "inputs", "allocate", "first_call", "verify", "identify", "warm_up",
                          "sampling", "audit_inputs", "audit_check", "audit", "report", "look"));
  const auto near = [](double seconds) { return DoubleNear(seconds, 1e-12); };
  std::vector<double> durations;
  for (const Phase& phase : result.phases) durations.push_back(phase.duration);
  // On the virtual clock: first call 10 x 100 us; 2 placements of 3 and of 10 calls; audits idle 4 times for
  // 4 ms.
  EXPECT_THAT(durations, ElementsAre(near(0), near(0), near(0), near(1e-3), near(0), near(0), near(6e-4),
                                     near(2e-3), near(0), near(0), near(16e-3), near(0), near(0)));
}

TEST(MeasuredPhases, TakeTheirTimeFromThoseAroundThem) {
  const auto device = scripted(R"({"version": 1})");
  Phases phases(*device);
  const auto pass = [&](Seconds seconds) { EXPECT_TRUE(device->timer().preheat(seconds)); };
  {
    const auto outer = phases.run("outer");
    pass(1);
    {
      const auto middle = phases.run("middle");
      pass(2);
      {
        const auto inner = phases.run("inner");
        pass(4);
      }
      pass(8);
    }
    {
      const auto inner = phases.run("inner");
      pass(16);
    }
    pass(32);
  }
  {
    const auto after = phases.run("after");
    pass(64);
  }
  std::map<std::string, double> seconds;
  for (const Phase& one : phases.take()) seconds[one.name] = one.duration;
  EXPECT_THAT(seconds,
              ElementsAre(Pair("after", DoubleNear(64, 1e-9)), Pair("inner", DoubleNear(20, 1e-9)),
                          Pair("middle", DoubleNear(10, 1e-9)), Pair("outer", DoubleNear(33, 1e-9))));
}

// Takes half a second whenever it learns what comes next.
class Attaching : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  void enter(const Place& place) override {
    ScriptedDevice::enter(place);
    EXPECT_TRUE(preheat(0.5));
    ++entered;
  }
  int entered = 0;
};

TEST(MeasuredPhases, TellWhatNoneOfThemIsFor) {
  Attaching device(*parse_script(steady, "script"));
  const ProcessResult result = measure_case(device, catalog_of(register_all), planned_line("right"), 1);
  EXPECT_EQ(result.phases.back().name, "other");
  EXPECT_GT(device.entered, 3);
  EXPECT_NEAR(result.phases.back().duration, 0.5 * device.entered, 1e-9);
}

TEST(MeasuredPhases, AreKeptAsFarAsAFailedCaseGot) {
  const ProcessResult result = measure(
      planned_line("right"), R"({"version": 1, "default": {"error": {"placement": 0, "sample": 1}}})");
  ASSERT_EQ(result.outcome, Outcome::failed);
  ASSERT_THAT(result.phases, SizeIs(8));
  EXPECT_EQ(result.phases.back().name, "sampling");
  EXPECT_NEAR(result.phases.back().duration, 110e-6, 1e-12);
  EXPECT_EQ(measure(planned_line("nan"), steady).phases.back().name, "verify");
}

TEST(MeasuredPlacements, KnowWhenTheyBegan) {
  const auto begun = [](int process) {
    std::vector<double> times;
    const ProcessResult result = measure(
        planned_line("right"),
        R"({"version": 1, "started": 5000, "default": {"us": 1e6, "overhead_us": 0, "first_call_us": 1}})",
        process);
    for (const Placement& placement : placements_of(result)) times.push_back(placement.started);
    return times;
  };
  // 1.5 s of time for each placement: a warm-up of 2 calls of 1 s, then 5 samples at the least. Audits idle
  // for 4 ms.
  EXPECT_THAT(begun(1), ElementsAre(DoubleNear(5002, 1e-3), DoubleNear(5009.004, 1e-3)));
  EXPECT_THAT(begun(2), ElementsAre(DoubleNear(5062, 1e-3), DoubleNear(5069.008, 1e-3)));
}

TEST(MeasuredPlacements, KnowTheirConditions) {
  const ProcessResult result = measure(planned_line("right"), R"({"version": 1, "default": {"conditions": [
      {"placement": 1, "sm_clock_mhz": 1200, "throttled": ["thermal"], "other_processes": 1}]}})");
  const std::vector<Placement> placements = placements_of(result);
  ASSERT_THAT(placements, SizeIs(2));
  EXPECT_EQ(placements[0].conditions, std::nullopt);
  Conditions throttled;
  throttled.sm_clock_mhz = 1200;
  throttled.throttled = {"thermal"};
  throttled.other_processes = 1;
  EXPECT_EQ(placements[1].conditions, throttled);
}

// Takes note of when it is asked for its conditions.
class Questioned : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Since<Conditions> watch_conditions() override {
    asked.emplace_back("begin");
    return [this] {
      asked.emplace_back("end");
      return std::nullopt;
    };
  }
  void enter(const Place& place) override {
    asked.push_back(std::to_string(place.placement));
    ScriptedDevice::enter(place);
  }
  Result<Timing> time(const Work& work, const TimingOptions& options) override {
    asked.emplace_back(options.audited ? "audit" : "call");
    return ScriptedDevice::time(work, options);
  }
  std::vector<std::string> asked;
};

TEST(MeasuredPlacements, AreAskedForConditionsWhileTheDeviceIsWarmAndNothingIsTimed) {
  Questioned device(*parse_script(steady, "script"));
  PlannedCase planned = planned_line("right");
  planned.sampling.placements = 1;
  planned.sampling.samples = 2;
  measure_case(device, catalog_of(register_all), planned, 1);
  const std::vector<std::string> audited(device.asked.begin() + 7, device.asked.end() - 3);
  // Seven calls of an audit after one of the samples, or after both.
  const auto with_audits = [](const std::vector<int>& after_samples) {
    std::vector<std::string> all;
    for (int sample = 1; sample <= 2; ++sample) {
      all.emplace_back("call");
      const bool is_audited = std::count(after_samples.begin(), after_samples.end(), sample) > 0;
      all.insert(all.end(), is_audited ? 7 : 0, "audit");
    }
    return all;
  };
  EXPECT_THAT(audited, AnyOf(with_audits({1}), with_audits({2}), with_audits({1, 2})));
  device.asked.erase(std::remove(device.asked.begin(), device.asked.end(), "audit"), device.asked.end());
  EXPECT_THAT(device.asked, ElementsAre("-1", "-1", "call", "call", "begin", "call", "0", "call", "call",
                                        "end", "-1", "-1"));
}

}  // namespace
}  // namespace harness
