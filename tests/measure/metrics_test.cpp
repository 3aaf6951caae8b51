// The metrics that a suite asks for beside the time.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "harness/measure/metrics/reported_metrics.h"
#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
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
  return measure_case(*scripted(script), catalog_of(register_all), planned, process);
}

constexpr const char* steady = R"({"version": 1, "default": {"us": 100, "overhead_us": 0}})";

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
