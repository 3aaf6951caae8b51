// Events against the profiler, and declared bytes against those that moved.
#include "harness/verdict/read/kernel_time.h"

#include <gmock/gmock.h>

#include "harness/verdict/read/summarize.h"
#include "records.h"
#include "tests/model/fact_matchers.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

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
    time.processes.push_back({process, std::nullopt, {placement}});
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
  return {std::move(name), "bytes", Direction::lower_is_better, {{1, std::nullopt, {placement}}}};
}

std::string doubt(const CaseRecord& record) {
  return kernel_time_doubt(record).value_or("");
}

TEST(KernelTime, AgreesWithinOnePercentAndAMicrosecondAndAHalf) {
  EXPECT_EQ(doubt(case_of_times(100, {kernel(97.6)})), "");
  EXPECT_NE(doubt(case_of_times(100, {kernel(97.4)})), "");
  EXPECT_EQ(doubt(case_of_times(100, {kernel(102.4)})), "");
  EXPECT_NE(doubt(case_of_times(100, {kernel(102.6)})), "");
  EXPECT_EQ(doubt(case_of_times(5, {kernel(3.6)})), "");
}

TEST(KernelTime, CountsEveryLaunchOfACall) {
  EXPECT_EQ(doubt(case_of_times(100, {kernel(30, 3), kernel(9)})), "");
}

TEST(KernelTime, ExplainsGapsBetweenLaunches) {
  EXPECT_THAT(doubt(case_of_times(20, {kernel(5, 3)})),
              HasSubstr("events say 20 us a call, its kernels 15 us by the profiler: gaps between the 3 "
                        "launches, 2.50 us each"));
  EXPECT_THAT(doubt(case_of_times(20, {kernel(15)})), HasSubstr("one launch cannot have gaps"));
}

TEST(KernelTime, ExplainsKernelsThatTakeLongerThanTheCall) {
  EXPECT_THAT(doubt(case_of_times(20, {kernel(15, 2)})), HasSubstr("overlap on several streams"));
  EXPECT_THAT(doubt(case_of_times(20, {kernel(30)})), HasSubstr("slows the kernel down"));
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
  EXPECT_THAT(doubt(record), HasSubstr("held its clock down"));
  record.series[0].processes[2].placements[0].forced_gates = 1;
  EXPECT_THAT(doubt(record), HasSubstr("raise gate_deadline"));
}

TEST(KernelTime, BlamesTheClockWhereLaunchesDoNotExplainTheDifference) {
  EXPECT_THAT(doubt(throttled(case_of_times(1432, {kernel(1322)}), 2)), HasSubstr("held its clock down"));
  EXPECT_THAT(doubt(throttled(case_of_times(1512, {kernel(480, 3)}), 3)), HasSubstr("held its clock down"));
  EXPECT_THAT(doubt(throttled(case_of_times(13.66, {kernel(2.8, 3)}), 3)),
              HasSubstr("gaps between the 3 launches"))
      << "three launches come to 5.3 us without any help of the clock";
  EXPECT_THAT(doubt(throttled(case_of_times(8.4, {kernel(5.76)}), 3)), HasSubstr("launch latency"));
}

TEST(KernelTime, DoesNotBlameAClockThatWasHeldDownInFewPlacements) {
  CaseRecord record = throttled(case_of_times(1432, {kernel(1322)}), 1);
  record.gate.throttled = 0.34;
  EXPECT_THAT(doubt(record), Not(HasSubstr("clock")));
  record.gate.throttled = 0.33;
  EXPECT_THAT(doubt(record), HasSubstr("held its clock down"));
}

TEST(KernelTime, DoesNotBlameTheClockForMoreThanAThird) {
  EXPECT_THAT(doubt(throttled(case_of_times(1000, {kernel(700)}), 3)), HasSubstr("held its clock down"));
  EXPECT_THAT(doubt(throttled(case_of_times(1000, {kernel(640)}), 3)), Not(HasSubstr("clock")));
}

TEST(KernelTime, SetsWhatTheEventsCostApart) {
  EXPECT_EQ(
      doubt(with_control(case_of_times(13.67, {kernel(2.81, 3)}), 2.88, 0.68)),
      "events say 13.67 us a call, its kernels 8.43 us by the profiler: two events around a call cost "
      "2.20 us (control), and there are gaps between the 3 launches, 1.52 us each: fuse them, or launch "
      "them as one CUDA graph");
  EXPECT_EQ(
      doubt(with_control(case_of_times(8.4, {kernel(5.76)}), 2.88, 0.68)),
      "events say 8.4 us a call, its kernels 5.76 us by the profiler: two events around a call cost 2.20 "
      "us (control); for a short kernel time a batch of calls");
  EXPECT_THAT(doubt(with_control(case_of_times(10, {kernel(5)}), 2.88, 0.68)),
              HasSubstr("one launch cannot have gaps"));
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
  EXPECT_THAT(summarize(record).at(0).notes, Contains(Says("cost 2.20 us (control)")));
}

TEST(KernelTime, LooksForNoEventsInASlopeOverBatches) {
  CaseRecord record = with_control(case_of_times(13.66, {kernel(2.81, 3)}), 2.88, 0.68);
  record.sampling.timing = TimingMode::batch;
  EXPECT_THAT(doubt(record), HasSubstr("profiler: gaps between the 3 launches, 2.62 us each"));
  EXPECT_THAT(doubt(throttled(record, 3)), HasSubstr("gaps between")) << "38 % are no clock's";
}

TEST(KernelTime, SaysNothingWithoutBothFigures) {
  EXPECT_EQ(doubt(case_of_times(20, {})), "");
  CaseRecord record = case_of_times(20, {kernel(1)});
  record.series[0].metric = "loss";
  EXPECT_EQ(doubt(record), "");
}

TEST(Traffic, StandsBesideTheDeclaredBytes) {
  CaseRecord record = case_of_times(20, {});
  record.bytes = 134e6;
  EXPECT_EQ(traffic_note(record), std::nullopt);
  record.series.push_back(counter("dram__bytes_read.sum", 121e6));
  EXPECT_EQ(traffic_note(record), std::nullopt) << "half of the traffic is not the traffic";
  record.series.push_back(counter("dram__bytes_write.sum", 39.8e6));
  EXPECT_EQ(traffic_note(record),
            "moves 1.20 times the declared 134 MB through DRAM: 121 MB read, 39.8 MB written");
  record.bytes = 0;
  EXPECT_EQ(traffic_note(record), "moves 161 MB through DRAM a call: 121 MB read, 39.8 MB written");
}

TEST(KernelTime, IsANoteOfTheTimesSummary) {
  Record record;
  record.cases.push_back(case_of_times(20, {kernel(5, 3)}));
  EXPECT_THAT(summarize(record).at(0).notes, Contains(Says("gaps between the 3 launches")));
}

}  // namespace
}  // namespace harness
