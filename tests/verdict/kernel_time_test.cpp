// Events against the profiler, and declared bytes against those that moved.
#include "harness/verdict/read/kernel_time.h"

#include <gmock/gmock.h>

#include "facts.h"
#include "harness/verdict/read/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;

KernelUse kernel(double us, int launches = 1) {
  return {"k", {1, 1, 1}, {32, 1, 1}, 16, 0, 0, launches, us, ""};
}

CaseRecord case_of_times(double event_us, const std::vector<KernelUse>& kernels) {
  CaseRecord record;
  record.id = "c";
  Series time{"gpu_time", "us", Direction::lower_is_better, {}};
  for (int process = 1; process <= 3; ++process) {
    Placement placement;
    placement.samples = {event_us, event_us, event_us};
    time.processes.push_back({process, {placement}});
    ProcessResult result;
    result.process = process;
    result.kernels = kernels;
    record.processes.push_back(std::move(result));
  }
  record.series.push_back(std::move(time));
  return record;
}

Series counter(std::string name, double value) {
  Placement placement;
  placement.samples = {value};
  return {std::move(name), "bytes", Direction::lower_is_better, {{1, {placement}}}};
}

using Code = DiagnosticCode;

// Nothing where both times agree.
std::optional<Code> doubt(const CaseRecord& record) {
  const std::optional<Diagnostic> found = kernel_time_doubt(record);
  return found ? std::optional(found->code) : std::nullopt;
}

TEST(KernelTime, AgreesWithinOnePercentAndAMicrosecondAndAHalf) {
  EXPECT_EQ(doubt(case_of_times(100, {kernel(97.6)})), std::nullopt);
  EXPECT_NE(doubt(case_of_times(100, {kernel(97.4)})), std::nullopt);
  EXPECT_EQ(doubt(case_of_times(100, {kernel(102.4)})), std::nullopt);
  EXPECT_NE(doubt(case_of_times(100, {kernel(102.6)})), std::nullopt);
  EXPECT_EQ(doubt(case_of_times(5, {kernel(3.6)})), std::nullopt);
}

TEST(KernelTime, CountsEveryLaunchOfACall) {
  EXPECT_EQ(doubt(case_of_times(100, {kernel(30, 3), kernel(9)})), std::nullopt);
}

TEST(KernelTime, ExplainsGapsBetweenLaunches) {
  EXPECT_THAT(
      *kernel_time_doubt(case_of_times(20, {kernel(5, 3)})),
      fact(Code::events_gaps, {{"events_us", 20.0}, {"kernels_us", 15.0}, {"launches", 3}, {"gap_us", 2.5}}));
  EXPECT_EQ(doubt(case_of_times(20, {kernel(15)})), Code::events_unseen);
}

TEST(KernelTime, ExplainsKernelsThatTakeLongerThanTheCall) {
  EXPECT_EQ(doubt(case_of_times(20, {kernel(15, 2)})), Code::kernels_overlap);
  EXPECT_EQ(doubt(case_of_times(20, {kernel(30)})), Code::kernels_slowed);
}

// As many of its three placements as told were throttled.
CaseRecord throttled(CaseRecord record, int placements) {
  int left = placements;
  for (ProcessSamples& process : record.series[0].processes)
    for (Placement& placement : process.placements) {
      placement.conditions = Conditions{};
      if (left-- > 0) placement.conditions->throttled = {"power_cap"};
    }
  return record;
}

CaseRecord with_control(CaseRecord record, double call, double batched) {
  record.processes[1].control = Control{call, batched};
  return record;
}

TEST(KernelTime, BlamesAForcedGateFirst) {
  CaseRecord record = throttled(case_of_times(1400, {kernel(1300)}), 3);
  EXPECT_EQ(doubt(record), Code::events_clock);
  record.series[0].processes[2].placements[0].forced_gates = 1;
  EXPECT_EQ(doubt(record), Code::events_gate);
}

TEST(KernelTime, BlamesTheClockWhereLaunchesDoNotExplainTheDifference) {
  EXPECT_EQ(doubt(throttled(case_of_times(1432, {kernel(1322)}), 2)), Code::events_clock);
  EXPECT_EQ(doubt(throttled(case_of_times(1512, {kernel(480, 3)}), 3)), Code::events_clock);
  EXPECT_EQ(doubt(throttled(case_of_times(13.66, {kernel(2.8, 3)}), 3)), Code::events_gaps)
      << "three launches come to 5.3 us without any help of the clock";
  EXPECT_EQ(doubt(throttled(case_of_times(8.4, {kernel(5.76)}), 3)), Code::events_unseen);
}

TEST(KernelTime, DoesNotBlameAClockThatWasHeldDownInFewPlacements) {
  CaseRecord record = throttled(case_of_times(1432, {kernel(1322)}), 1);
  record.gate.throttled = 0.34;
  EXPECT_NE(doubt(record), Code::events_clock);
  record.gate.throttled = 0.33;
  EXPECT_EQ(doubt(record), Code::events_clock);
}

TEST(KernelTime, DoesNotBlameTheClockForMoreThanAThird) {
  EXPECT_EQ(doubt(throttled(case_of_times(1000, {kernel(700)}), 3)), Code::events_clock);
  EXPECT_NE(doubt(throttled(case_of_times(1000, {kernel(640)}), 3)), Code::events_clock);
}

TEST(KernelTime, SetsWhatTheEventsCostApart) {
  EXPECT_THAT(
      *kernel_time_doubt(with_control(case_of_times(13.67, {kernel(2.81, 3)}), 2.88, 0.68)),
      fact(
          Code::events_gaps,
          {{"events_us", 13.67}, {"kernels_us", 8.43}, {"pair_us", 2.2}, {"launches", 3}, {"gap_us", 1.52}}));
  EXPECT_THAT(*kernel_time_doubt(with_control(case_of_times(8.4, {kernel(5.76)}), 2.88, 0.68)),
              fact(Code::events_pair, {{"events_us", 8.4}, {"kernels_us", 5.76}, {"pair_us", 2.2}}));
  EXPECT_EQ(doubt(with_control(case_of_times(10, {kernel(5)}), 2.88, 0.68)), Code::events_unseen);
}

TEST(KernelTime, TakesTheControlOfAnotherCaseOfTheSameKindOfDevice) {
  Record record;
  record.cases = {case_of_times(60, {kernel(57.5)}),
                  with_control(case_of_times(8.4, {kernel(5.76)}), 2.8, 0.6),
                  with_control(case_of_times(8.4, {kernel(5.76)}), 7, 0.5)};
  record.cases[0].device = record.cases[1].device = "cuda";
  record.cases[2].device = "cpu";
  EventPairCosts costs(record);
  EXPECT_NEAR(costs.of("cuda").value(), 2.2, 1e-12);
  EXPECT_NEAR(costs.of("cpu").value(), 6.5, 1e-12);
  EXPECT_EQ(costs.of("import"), std::nullopt);
  EXPECT_THAT(summarize(record).at(0).diagnostics, Contains(fact(Code::events_pair, {{"pair_us", 2.2}})));
}

TEST(KernelTime, LooksForNoEventsInASlopeOverBatches) {
  CaseRecord record = with_control(case_of_times(13.66, {kernel(2.81, 3)}), 2.88, 0.68);
  record.sampling.timing = TimingMode::batch;
  EXPECT_THAT(*kernel_time_doubt(record), fact(Code::events_gaps, {{"launches", 3}, {"gap_us", 2.62}}));
  EXPECT_EQ(doubt(throttled(record, 3)), Code::events_gaps) << "38 % are no clock's";
}

TEST(KernelTime, SaysNothingWithoutBothFigures) {
  EXPECT_EQ(doubt(case_of_times(20, {})), std::nullopt);
  CaseRecord record = case_of_times(20, {kernel(1)});
  record.series[0].metric = "loss";
  EXPECT_EQ(doubt(record), std::nullopt);
}

TEST(Traffic, StandsBesideTheDeclaredBytes) {
  CaseRecord record = case_of_times(20, {});
  record.bytes = 134e6;
  EXPECT_EQ(traffic_diagnostic(record), std::nullopt);
  record.series.push_back(counter("dram__bytes_read.sum", 121e6));
  EXPECT_EQ(traffic_diagnostic(record), std::nullopt) << "half of the traffic is not the traffic";
  record.series.push_back(counter("dram__bytes_write.sum", 39.8e6));
  const Diagnostic declared{Code::traffic, {{"read", 121e6}, {"written", 39.8e6}, {"declared", 134e6}}};
  EXPECT_EQ(traffic_diagnostic(record), declared);
  record.bytes = 0;
  const Diagnostic plain{Code::traffic, {{"read", 121e6}, {"written", 39.8e6}}};
  EXPECT_EQ(traffic_diagnostic(record), plain);
}

TEST(KernelTime, IsANoteOfTheTimesSummary) {
  Record record;
  record.cases.push_back(case_of_times(20, {kernel(5, 3)}));
  EXPECT_THAT(summarize(record).at(0).diagnostics, Contains(fact(Code::events_gaps, {{"launches", 3}})));
}

}  // namespace
}  // namespace harness
