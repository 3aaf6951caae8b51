// Everything that a case's measurement tells beside its times: phases, time of day, conditions, kernels,
// and the metrics that a suite asks for.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <map>

#include "harness/measure/metrics/reported_metrics.h"
#include "harness/measure/worker/phases.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;
using trial::Right;

// y = 2 x + 1 with metrics of its own.
class Metered : public trial::Line {
 public:
  [[nodiscard]] std::string_view name() const override { return "metered"; }
  [[nodiscard]] std::vector<sdk::MetricSpec> metrics() const override {
    return {{"accuracy", "%", sdk::Better::higher, "elements above zero"},
            {"packed", "bytes", sdk::Better::lower, "what the variant keeps"}};
  }
  void report(const sdk::Params&, std::span<const sdk::HostTensor> inputs,
              std::span<const sdk::HostTensor> outputs, sdk::MetricSink& sink) const override {
    const bool follows = outputs[0].at(0) == static_cast<float>(2 * inputs[0].at(0) + 1);
    sink.report("accuracy", follows ? 75 : 0);
  }
};

class Packing : public Right {
 public:
  using Right::Right;
  [[nodiscard]] std::size_t workspace_bytes() const override { return 1000; }
  void report(sdk::MetricSink& sink) const override {
    sink.report("packed", 4096);
    sink.note("only 3 tiles\x1b fit");
    sink.note("");
  }
};

class Misspelling : public Right {
 public:
  using Right::Right;
  void report(sdk::MetricSink& sink) const override { sink.report("pakced", 1); }
};

class Endless : public Right {
 public:
  using Right::Right;
  void report(sdk::MetricSink& sink) const override {
    sink.report("packed", std::numeric_limits<double>::infinity());
  }
};

class NanOnce : public Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    y_[0] = std::numeric_limits<float>::quiet_NaN();
  }
};

int loaded = 0;

template <class Kernel>
sdk::Variant metered(const char* name) {
  sdk::Variant variant = trial::variant<Kernel>(name);
  variant.workload = "metered";
  return variant;
}

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<Right>("right"));
  registry.add(trial::variant<NanOnce>("nan"));
  registry.add(std::make_unique<Metered>());
  registry.add(metered<Packing>("packing"));
  sdk::Variant loading = metered<Packing>("loading");
  loading.prepare = [](const sdk::Params&, const sdk::DeviceTraits&) { ++loaded; };
  registry.add(std::move(loading));
  sdk::Variant unloadable = metered<Packing>("unloadable");
  unloadable.prepare = [](const sdk::Params&, const sdk::DeviceTraits&) {
    throw sdk::Unsupported("no such library");
  };
  registry.add(std::move(unloadable));
  registry.add(metered<Right>("silent"));
  registry.add(metered<Misspelling>("misspelling"));
  registry.add(metered<Endless>("endless"));
}

PlannedCase planned_metered(const std::string& variant, std::vector<std::string> metrics) {
  PlannedCase planned = planned_line(variant);
  planned.workload = "metered";
  planned.id = "metered/" + variant + "/n=100";
  planned.metrics = std::move(metrics);
  return planned;
}

ProcessResult measure(const PlannedCase& planned, const std::string& script, int process = 1) {
  Catalog catalog;
  EXPECT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_all}));
  return measure_case(*scripted(script), catalog, planned, process);
}

constexpr const char* steady = R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})";

std::vector<std::string> names_of(const std::vector<Series>& all) {
  std::vector<std::string> names;
  for (const Series& series : all) names.push_back(series.metric);
  return names;
}

double value_of(const Series& series) {
  EXPECT_EQ(series.processes.size(), 1U);
  EXPECT_THAT(series.processes.at(0).placements, SizeIs(1));
  EXPECT_THAT(series.processes[0].placements.at(0).samples, SizeIs(1));
  return series.processes[0].placements[0].samples.at(0);
}

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
  // On the virtual clock: first call 10 x 100 us; 2 placements of 3 and of 10 calls.
  EXPECT_THAT(durations, ElementsAre(near(0), near(0), near(0), near(1e-3), near(0), near(0), near(6e-4),
                                     near(2e-3), near(0), near(0), near(0), near(0), near(0)));
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
  Catalog catalog;
  ASSERT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_all}));
  Attaching device(*parse_script(steady, "script"));
  const ProcessResult result = measure_case(device, catalog, planned_line("right"), 1);
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
  // 1.5 s of time for each placement: a warm-up of 2 calls of 1 s, then 5 samples at the least.
  EXPECT_THAT(begun(1), ElementsAre(DoubleNear(5002, 1e-3), DoubleNear(5009, 1e-3)));
  EXPECT_THAT(begun(2), ElementsAre(DoubleNear(5062, 1e-3), DoubleNear(5069, 1e-3)));
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
  Catalog catalog;
  ASSERT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_all}));
  Questioned device(*parse_script(steady, "script"));
  PlannedCase planned = planned_line("right");
  planned.sampling.placements = 1;
  planned.sampling.samples = 2;
  measure_case(device, catalog, planned, 1);
  const std::vector<std::string> audited(device.asked.begin() + 7, device.asked.end() - 3);
  // Five calls of an audit after one of the samples, or after both.
  EXPECT_THAT(audited, AnyOf(ElementsAre("call", "audit", "audit", "audit", "audit", "audit", "call"),
                             ElementsAre("call", "call", "audit", "audit", "audit", "audit", "audit"),
                             ElementsAre("call", "audit", "audit", "audit", "audit", "audit", "call", "audit",
                                         "audit", "audit", "audit", "audit")));
  device.asked.erase(std::remove(device.asked.begin(), device.asked.end(), "audit"), device.asked.end());
  EXPECT_THAT(device.asked, ElementsAre("-1", "-1", "call", "call", "begin", "call", "0", "call", "call",
                                        "end", "-1", "-1"));
}

TEST(MeasuredKernels, AreWhatTheDeviceSees) {
  const ProcessResult result =
      measure(planned_line("right"),
              R"({"version": 1, "default": {"kernels": [{"name": "line<float>", "us": 3}]}})", 2);
  ASSERT_THAT(result.kernels, SizeIs(1));
  EXPECT_EQ(result.kernels[0].name, "line<float>");
  EXPECT_EQ(result.kernels[0].us, 3);
  EXPECT_THAT(measure(planned_line("right"), steady).kernels, IsEmpty());
}

std::vector<double> kernel_us(const ProcessResult& result) {
  std::vector<double> us;
  for (const KernelUse& one : result.kernels) us.push_back(one.us);
  return us;
}

TEST(MeasuredKernels, AreTimedInTheSecondProcessUnlessAMetricIsOfThem) {
  constexpr const char* script =
      R"({"version": 1, "default": {"kernels": [{"name": "line<float>", "us": 3}],
          "counters": [{"name": "dram__bytes_read.sum", "value": 4096, "unit": "bytes"}]}})";
  PlannedCase plain = planned_line("right"), timed = plain, counting = plain;
  timed.metrics = {"time", "kernel_time"};
  PlannedCase alone = plain;
  alone.sampling.processes = 1;
  EXPECT_THAT(kernel_us(measure(alone, script, 1)), ElementsAre(3));
  counting.metrics = {"time", "dram__bytes_read.sum"};
  for (int process = 1; process <= 5; ++process) {
    const std::vector<double> us = kernel_us(measure(plain, script, process));
    EXPECT_EQ(us, process == 1   ? std::vector{0.0}
                  : process == 2 ? std::vector{3.0}
                                 : std::vector<double>{})
        << process;
    EXPECT_THAT(kernel_us(measure(timed, script, process)), ElementsAre(3)) << process;
    EXPECT_THAT(measure(counting, script, process).series, SizeIs(2)) << process;
  }
}

class Blind : public ScriptedDevice {
 public:
  using ScriptedDevice::ScriptedDevice;
  Result<std::vector<KernelUse>> kernels(const Work&, const CallPattern&) override {
    return fail(ErrorKind::environment, "another profiler is attached");
  }
};

TEST(MeasuredKernels, AreANoteWhereTheDeviceCannotLook) {
  Catalog catalog;
  ASSERT_TRUE(catalog.add({sdk::module_abi, sdk::compiler_abi, "test", register_all}));
  Blind device(*parse_script(steady, "script"));
  const ProcessResult result = measure_case(device, catalog, planned_line("right"), 1);
  EXPECT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_THAT(result.notes,
              ElementsAre(FactIs(NoteCode::kernels_unseen, {{"problem", "another profiler is attached"}})));
}

constexpr const char* counted = R"({"version": 1, "default": {"counters": [
  {"name": "dram__bytes_read.sum", "value": 4096, "unit": "bytes"},
  {"name": "lts__t_sector_hit_rate.pct", "value": 12.5, "unit": "%"},
  {"name": "sm__cycles_elapsed.max", "missing": "for administrators"},
  {"name": "sm__inst_executed.sum", "missing": "for administrators"}]}})";

TEST(MeasuredCounters, AreSeriesOfOneValueAProcessBehindTheTime) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"lts__t_sector_hit_rate.pct", "time", "dram__bytes_read.sum"};
  const ProcessResult result = measure(planned, counted, 3);
  ASSERT_THAT(names_of(result.series),
              ElementsAre("wall_time", "lts__t_sector_hit_rate.pct", "dram__bytes_read.sum"));
  EXPECT_EQ(value_of(result.series[1]), 12.5);
  EXPECT_EQ(result.series[1].unit, "%");
  EXPECT_EQ(result.series[1].direction, Direction::higher_is_better);
  EXPECT_EQ(value_of(result.series[2]), 4096);
  EXPECT_EQ(result.series[2].direction, Direction::lower_is_better);
  EXPECT_EQ(result.series[2].processes[0].process, 3);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(MeasuredCounters, ThatCannotBeReadAreOneNoteAReasonAndNeverShiftTheOthers) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"sm__cycles_elapsed.max", "dram__bytes_read.sum", "sm__inst_executed.sum", "x.sum"};
  const ProcessResult result = measure(planned, counted);
  ASSERT_THAT(names_of(result.series), ElementsAre("wall_time", "dram__bytes_read.sum"));
  EXPECT_EQ(value_of(result.series[1]), 4096);
  EXPECT_THAT(
      result.notes,
      ElementsAre(
          FactIs(NoteCode::counters_missing, {{"counters", "sm__cycles_elapsed.max, sm__inst_executed.sum"},
                                              {"why", "refused"},
                                              {"problem", "for administrators"}}),
          FactIs(NoteCode::counters_missing, {{"counters", "x.sum"}, {"why", "unknown_counter"}})));
}

TEST(MeasuredMetrics, AreTimeAloneUnlessTheSuiteAsksForMore) {
  const ProcessResult result = measure(planned_metered("packing", {"time"}), steady);
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  EXPECT_THAT(names_of(measure(planned_metered("packing", {"error"}), steady).series),
              ElementsAre("wall_time", "error"));
}

TEST(MeasuredMetrics, TellWhatACaseCostsBeforeItsSamplesOnceAProcess) {
  const ProcessResult result = measure(
      planned_metered("packing", {"peak_memory", "kernel_time", "setup_time", "first_call"}),
      R"({"version": 1, "default": {"us": 100, "setup_us": 250, "first_call_us": 900, "takes_bytes": 64,
                  "kernels": [{"name": "a", "us": 3, "launches": 2}, {"name": "b", "us": 4.5, "launches": 1}]}})",
      4);
  ASSERT_THAT(names_of(result.series),
              ElementsAre("wall_time", "first_call", "setup_time", "kernel_time", "peak_memory"));
  EXPECT_EQ(value_of(result.series[1]), 900);
  EXPECT_EQ(value_of(result.series[2]), 250);
  EXPECT_EQ(value_of(result.series[3]), 2 * 3 + 4.5);
  EXPECT_EQ(value_of(result.series[4]), 2 * 400 + 1000 + 64);
  for (const Series& series : result.series) {
    EXPECT_EQ(series.processes[0].process, 4) << series.metric;
    EXPECT_EQ(series.direction, Direction::lower_is_better) << series.metric;
  }
}

TEST(MeasuredMetrics, HaveNoLoadingInTheSetUp) {
  loaded = 0;
  const ProcessResult result =
      measure(planned_metered("loading", {"setup_time"}),
              R"({"version": 1, "default": {"us": 100, "load_us": 7000, "setup_us": 250}})");
  ASSERT_THAT(names_of(result.series), ElementsAre("wall_time", "setup_time"));
  EXPECT_EQ(value_of(result.series[1]), 250);
  EXPECT_EQ(loaded, 1);
  EXPECT_EQ(result.phases.front().name, "load");
  EXPECT_NEAR(result.phases.front().duration, 7e-3, 1e-12);
}

TEST(MeasuredMetrics, AreNoneWhereAVariantCannotBeLoaded) {
  const ProcessResult result = measure(planned_metered("unloadable", {"setup_time"}), steady);
  EXPECT_EQ(result.outcome, Outcome::skipped);
  EXPECT_THAT(result.series, IsEmpty());
}

TEST(MeasuredMetrics, HoldNoKernelTimeWhereNobodySawAKernel) {
  const ProcessResult result = measure(planned_metered("packing", {"kernel_time"}), steady);
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  EXPECT_THAT(result.notes, Contains(FactIs(NoteCode::metric_untold, {{"metric", "kernel_time"}})));
}

TEST(MeasuredMetrics, IncludeTheErrorOfTheResult) {
  PlannedCase planned = planned_line("right");
  planned.params.set("n", std::int64_t{1000});
  planned.metrics = {"time", "error"};
  const ProcessResult result = measure(planned, steady);
  ASSERT_THAT(result.series, SizeIs(2));
  const Series& error = result.series[1];
  EXPECT_EQ(error.unit, "");
  EXPECT_EQ(error.direction, Direction::lower_is_better);
  EXPECT_GT(value_of(error), 0) << "f32 rounds";
  EXPECT_EQ(value_of(error), std::max(result.verification->before, result.verification->after));
}

TEST(MeasuredMetrics, CountTheMemoryOfTensorsAndWorkspaceAndNoPadding) {
  const ProcessResult result = measure(planned_metered("packing", {"buffer_memory"}), steady);
  ASSERT_THAT(result.series, SizeIs(2));
  EXPECT_EQ(result.series[1].metric, "buffer_memory");
  EXPECT_EQ(result.series[1].unit, "bytes");
  EXPECT_EQ(value_of(result.series[1]), 2 * 400 + 1000);
  EXPECT_EQ(value_of(measure(planned_metered("silent", {"buffer_memory"}), steady).series[1]), 800);
}

TEST(MeasuredMetrics, HoldTheLaunchTimeOfEachSampleWhereTheDeviceTellsIt) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"launch_time"};
  const ProcessResult result = measure(planned, R"({"version": 1, "default": {"launch_us": 2.5}})");
  ASSERT_THAT(names_of(result.series), ElementsAre("wall_time", "launch_time"));
  EXPECT_EQ(result.series[1].unit, "us");
  EXPECT_EQ(result.series[1].processes.at(0).process, 1);
  ASSERT_THAT(result.series[1].processes[0].placements, SizeIs(2));
  for (const Placement& placement : result.series[1].processes[0].placements)
    EXPECT_THAT(placement.samples, AllOf(SizeIs(10), Each(2.5)));
  const ProcessResult untold = measure(planned, steady);
  EXPECT_THAT(names_of(untold.series), ElementsAre("wall_time"));
  EXPECT_THAT(untold.notes, ElementsAre(FactIs(NoteCode::metric_untold, {{"metric", "launch_time"}})));
}

TEST(MeasuredMetrics, TakeWhatWorkloadAndVariantReport) {
  const ProcessResult result = measure(planned_metered("packing", {"packed", "accuracy"}), steady, 2);
  ASSERT_THAT(names_of(result.series), ElementsAre("wall_time", "accuracy", "packed"));
  EXPECT_EQ(value_of(result.series[1]), 75) << "reported from the outputs after timing";
  EXPECT_EQ(result.series[1].unit, "%");
  EXPECT_EQ(result.series[1].direction, Direction::higher_is_better);
  EXPECT_EQ(result.series[1].processes[0].process, 2);
  EXPECT_EQ(value_of(result.series[2]), 4096);
  EXPECT_EQ(result.series[2].direction, Direction::lower_is_better);
  EXPECT_THAT(result.notes, Not(Contains(FactIs(NoteCode::metric_unreported))));
}

TEST(MeasuredMetrics, TakeWhatAVariantNotesWhetherItsMetricsAreWantedOrNot) {
  for (const std::vector<std::string>& wanted : {std::vector<std::string>{"time"}, {"packed"}}) {
    const Notes notes = measure(planned_metered("packing", wanted), steady).notes;
    ASSERT_THAT(notes, ElementsAre(FactIs(NoteCode::told)));
    EXPECT_THAT(notes[0].text("text"),
                AllOf(StartsWith("only 3 tiles"), EndsWith(" fit"), Not(HasSubstr("\x1b"))));
  }
}

TEST(Reported, KeepsFewAndShortNotes) {
  Reported reported({});
  for (int i = 0; i < 30; ++i) reported.note(std::string(2000, 'x'));
  ProcessResult result;
  reported.add_to(result, {});
  ASSERT_THAT(result.notes, SizeIs(10));
  EXPECT_EQ(result.notes.front().text("text").size(), 500U);
}

TEST(MeasuredMetrics, NoteWhatNobodyReported) {
  const ProcessResult result = measure(planned_metered("silent", {"packed"}), steady);
  EXPECT_EQ(result.outcome, Outcome::measured);
  EXPECT_THAT(names_of(result.series), ElementsAre("wall_time"));
  EXPECT_THAT(result.notes, ElementsAre(FactIs(NoteCode::metric_unreported, {{"metric", "packed"}})));
}

TEST(MeasuredMetrics, FailTheCaseWhenTheyAreReportedWrongly) {
  const ProcessResult misspelled = measure(planned_metered("misspelling", {"time"}), steady);
  EXPECT_EQ(misspelled.outcome, Outcome::failed);
  EXPECT_THAT(misspelled.reason, FactIs(CauseCode::threw, {{"step", "report_metrics"}}));
  EXPECT_THAT(measure(planned_metered("endless", {"time"}), steady).reason, FactIs(CauseCode::threw));
}

TEST(Reported, TakesEachMetricOnce) {
  Reported reported({{"loss", "", sdk::Better::lower, ""}});
  reported.report("loss", 0.5);
  EXPECT_THROW(reported.report("loss", 0.5), std::invalid_argument);
  ProcessResult result;
  reported.add_to(result, {"loss"});
  EXPECT_EQ(value_of(result.series.at(0)), 0.5);
}

}  // namespace
}  // namespace harness
