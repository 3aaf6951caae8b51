// The look at one call: its kernels, and values of hardware counters.
#include <gmock/gmock.h>

#include "harness/measure/worker/worker.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using trial::Right;

void register_all(sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<Right>("right"));
}

ProcessResult measure(const PlannedCase& planned, const std::string& script, int process = 1) {
  return measure_case(*scripted(script), catalog_of(register_all), planned, process);
}

TEST(MeasuredKernels, AreWhatTheDeviceSees) {
  const ProcessResult result =
      measure(planned_line("right"),
              R"({"version": 1, "default": {"kernels": [{"name": "line<float>", "us": 3}]}})", 2);
  ASSERT_THAT(result.kernels, SizeIs(1));
  EXPECT_EQ(result.kernels[0].name, "line<float>");
  EXPECT_EQ(result.kernels[0].us, 3);
  EXPECT_THAT(measure(planned_line("right"), R"({"version": 1})").kernels, IsEmpty());
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
  Blind device(*parse_script(R"({"version": 1})", "script"));
  const ProcessResult result = measure_case(device, catalog_of(register_all), planned_line("right"), 1);
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

// counters_of_case() of `planned` by a device of this script.
ProcessResult counters_of(const PlannedCase& planned, const char* script) {
  ScriptedDevice device(*parse_script(script, "script"));
  Carried carried;
  return counters_of_case(device, catalog_of(register_all), planned, 0, carried);
}

TEST(CountersOfOneCall, AreReadWithoutSamplesAndWithoutAProfileOfLaunches) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"dram__bytes_read.sum", "lts__t_sector_hit_rate.pct"};
  const ProcessResult result = counters_of(planned, counted);
  EXPECT_EQ(result.outcome, Outcome::looked_at) << result.reason;
  ASSERT_THAT(names_of(result.series), ElementsAre("dram__bytes_read.sum", "lts__t_sector_hit_rate.pct"));
  EXPECT_EQ(value_of(result.series[0]), 4096);
  EXPECT_FALSE(result.identity);
  EXPECT_THAT(result.kernels, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(CountersOfOneCall, ThatAreRefusedAreANote) {
  PlannedCase planned = planned_line("right");
  planned.metrics = {"sm__cycles_elapsed.max"};
  const ProcessResult result = counters_of(planned, counted);
  EXPECT_EQ(result.outcome, Outcome::looked_at) << result.reason;
  EXPECT_THAT(result.series, IsEmpty());
  ASSERT_THAT(result.notes, testing::SizeIs(1));
  EXPECT_EQ(result.notes[0].code, NoteCode::counters_missing);
}

}  // namespace
}  // namespace harness
