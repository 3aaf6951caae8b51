// Events against the profiler, and declared bytes against those that moved.
#include "harness/compare/kernel_time.h"

#include <gmock/gmock.h>

#include "harness/compare/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;
using testing::HasSubstr;

KernelUse kernel(double us, int launches = 1) {
  return {"k", {1, 1, 1}, {32, 1, 1}, 16, 0, 0, launches, us, ""};
}

CaseRecord case_of_times(double event_us, std::vector<KernelUse> kernels) {
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

TEST(KernelTime, BlamesAForcedGateAndAThrottledDeviceFirst) {
  CaseRecord record = case_of_times(20, {kernel(5, 3)});
  record.series[0].processes[1].placements[0].conditions = Conditions{};
  record.series[0].processes[1].placements[0].conditions->throttled = {"power_cap"};
  EXPECT_THAT(doubt(record), HasSubstr("held its clock down"));
  record.series[0].processes[2].placements[0].forced_gates = 1;
  EXPECT_THAT(doubt(record), HasSubstr("raise gate_deadline"));
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
  EXPECT_THAT(summarize(record).at(0).notes, Contains(HasSubstr("gaps between the 3 launches")));
}

}  // namespace
}  // namespace harness
