// The load of the host on both sides, and what it forbids to conclude.
#include <gmock/gmock.h>

#include "facts.h"
#include "harness/model/program_metrics.h"
#include "harness/verdict/read/summarize.h"
#include "records.h"

namespace harness {
namespace {

using testing::Contains;

Conditions beside(double others, std::optional<double> stalled = {}) {
  Conditions conditions;
  conditions.load = HostLoad{.cpus = 2, .others = others, .queue = std::round(others), .stalled = stalled};
  return conditions;
}

void set_conditions(Series& series, const Conditions& conditions) {
  for (ProcessSamples& process : series.processes)
    for (Placement& placement : process.placements) placement.conditions = conditions;
}

// A program of five starts.
Record program(double wall, double user, const Conditions& conditions, int first = 1) {
  Record record =
      record_of({case_of("prog", {series_at(about(wall), "wall_time"), series_at(about(user), "user_time"),
                                  series_at(about(user / 10), "system_time")})});
  for (Series& series : record.cases[0].series) {
    set_conditions(series, conditions);
    for (ProcessSamples& process : series.processes) process.process += first - 1;
  }
  return record;
}

// Adds the starts that measured it again.
Record with_again(Record record, const Record& again) {
  for (std::size_t i = 0; i < record.cases[0].series.size(); ++i)
    for (const ProcessSamples& process : again.cases[0].series[i].processes)
      record.cases[0].series[i].processes.push_back(process);
  return record;
}

Record kernel(double time, const Conditions& conditions) {
  Series series = series_at(about(time), "wall_time");
  set_conditions(series, conditions);
  return record_of({case_of("c", {std::move(series)})});
}

ComparisonRow row_of(const Record& before, const Record& after, const std::string& metric = "wall_time") {
  const Comparison comparison = compare(before, after, {});
  for (const ComparisonRow& row : comparison.rows)
    if (row.metric == metric) return row;
  throw std::runtime_error("no row");
}

TEST(Load, AProgramThatWaitedBesideOthersIsNotCalledWorse) {
  const ComparisonRow row = row_of(program(100, 50, beside(0)), program(329, 50.1, beside(1.9)));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, fact(ReasonCode::waited, {{"side", "current"},
                                                    {"waited", 1},
                                                    {"change", 2.29},
                                                    {"cpu", 0.002},
                                                    {"baseline_others", 0.0},
                                                    {"current_others", 1.9}}));
}

TEST(Load, OnAQuietHostSleepsLocksAndFilesAreRegressions) {
  EXPECT_EQ(row_of(program(100, 50, beside(0)), program(329, 50.1, beside(0.02))).verdict,
            Verdict::regressed);
  EXPECT_EQ(row_of(program(100, 50, beside(1.5)), program(329, 50.1, beside(1.5))).verdict,
            Verdict::regressed)
      << "the baseline had as much beside it";
  EXPECT_EQ(row_of(program(100, 50, beside(0, 0.0)), program(329, 50.1, beside(1.9, 0.01))).verdict,
            Verdict::regressed)
      << "enough CPUs for all: nobody waited for one";
}

TEST(Load, AProgramThatWorksMuchMoreIsWorseOnABusyHostToo) {
  const Record before = program(100, 50, beside(0)), after = program(300, 140, beside(1.9));
  EXPECT_EQ(row_of(before, after).verdict, Verdict::regressed);
  EXPECT_EQ(row_of(before, after, "user_time").verdict, Verdict::regressed);
}

// On cores of two hardware threads the same work used up to twice the CPU time.
TEST(Load, MoreCpuTimeBesideOthersMayBeTheirs) {
  const Record before = program(100, 50, beside(0, 0.0)), after = program(140, 70, beside(0.9, 0.01));
  EXPECT_THAT(row_of(before, after).reason,
              fact(ReasonCode::waited, {{"side", "current"}, {"waited", 0}, {"cpu", 0.4}}));
  EXPECT_EQ(row_of(before, after, "user_time").reason.code, ReasonCode::waited);
  EXPECT_THAT(row_of(after, before, "user_time").reason, fact(ReasonCode::waited, {{"side", "baseline"}}));
  const Record alike = program(140, 70, beside(0, 0.0));
  EXPECT_EQ(row_of(before, alike).verdict, Verdict::regressed);
  EXPECT_EQ(row_of(before, alike, "user_time").verdict, Verdict::regressed);
  EXPECT_EQ(row_of(program(100, 50, beside(0.9)), after, "user_time").reason.code, ReasonCode::waited)
      << "the baseline had as much beside it, on other cores perhaps";
  EXPECT_EQ(row_of(program(100, 50, beside(0.3)), program(140, 70, beside(0.3)), "user_time").verdict,
            Verdict::regressed);
}

TEST(Load, OneBusyCpuOfManyIsInNobodysWay) {
  Conditions few = beside(0.5), more = beside(2.5);
  few.load->cpus = more.load->cpus = 64;
  EXPECT_EQ(row_of(program(100, 50, few), program(329, 50, more)).verdict, Verdict::regressed);
  EXPECT_EQ(row_of(kernel(100, few), kernel(200, more)).verdict, Verdict::regressed);
}

TEST(Load, ABaselineWithoutALoadMayHaveBeenQuiet) {
  EXPECT_EQ(row_of(program(100, 50, {}), program(329, 50, beside(1.9))).reason.code, ReasonCode::waited);
  EXPECT_EQ(row_of(program(100, 50, {}), program(329, 50, {})).verdict, Verdict::regressed);
}

TEST(Load, ABaselineThatWaitedHidesNoSlowdown) {
  const ComparisonRow row = row_of(program(200, 50, beside(1.9)), program(180, 75, beside(0)));
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, fact(ReasonCode::waited, {{"side", "baseline"}, {"cpu", 0.5}}));
  EXPECT_EQ(row_of(program(200, 50, beside(1.9)), program(200, 50, beside(0))).verdict, Verdict::unchanged);
  EXPECT_EQ(row_of(program(200, 50, beside(1.9)), program(240, 75, beside(0))).verdict, Verdict::regressed)
      << "although the baseline waited";
}

TEST(Load, StolenTimeAndQuotasCountByThemselves) {
  Conditions stolen, held;
  stolen.load = HostLoad{.cpus = 2, .others = 0.05, .stolen = 0.05, .stalled = 0.0};
  held.load = HostLoad{.cpus = 2, .others = 0, .stalled = 0.0, .held = 0.3};
  const Record before = program(100, 50, beside(0, 0.0));
  EXPECT_THAT(row_of(before, program(120, 50, stolen)).reason,
              fact(ReasonCode::waited, {{"current_stolen", 0.05}}));
  EXPECT_THAT(row_of(before, program(120, 50, held)).reason,
              fact(ReasonCode::waited, {{"current_held", 0.3}}));
}

TEST(Load, AKernelBesideMoreLoadThanItsBaselineIsNotCalledWorse) {
  EXPECT_EQ(row_of(kernel(100, beside(1)), kernel(205, beside(1.4))).reason.code, ReasonCode::waited)
      << "others used the CPUs in all placements of both sides";
  EXPECT_EQ(row_of(kernel(205, beside(1.4)), kernel(100, beside(1))).reason.code, ReasonCode::waited)
      << "nor better";
  EXPECT_EQ(row_of(kernel(100, beside(1.4)), kernel(205, beside(1.4))).reason.code, ReasonCode::waited)
      << "who shares a core with the kernel is luck, on each side";
  EXPECT_EQ(row_of(kernel(100, beside(0.05)), kernel(205, beside(0.12))).verdict, Verdict::regressed);
}

TEST(Load, AQueueOfOthersCountsWhereAllCpusAreBusyOnBothSides) {
  Conditions two = beside(1.9), four = beside(1.95);
  two.load->queue = 2;
  four.load->queue = 4;
  EXPECT_EQ(row_of(kernel(100, two), kernel(150, four)).reason.code, ReasonCode::waited);
}

TEST(Load, FreshProcessesBesideOthersConfirmNothing) {
  const int again = last_plain_process + 1;
  const Record before = program(100, 50, beside(0));
  const Record worse = program(120, 50, beside(0));
  const Record confirmed = with_again(worse, program(120, 50, beside(0), again));
  EXPECT_EQ(row_of(before, confirmed).verdict, Verdict::regressed);
  const Record doubted = with_again(worse, program(300, 50, beside(1.9), again));
  EXPECT_THAT(row_of(before, doubted).reason, fact(ReasonCode::waited, {{"side", "current"}}));
}

TEST(Load, SidesThatWereMeasuredInTurnAreComparedAsTheyAre) {
  Record before = program(100, 50, beside(1.2)), after = program(120, 50, beside(1.5));
  before.pairing = after.pairing = Pairing{"one", Pairing::Kind::session};
  EXPECT_EQ(row_of(before, after).verdict, Verdict::regressed);
}

// A device without sensors, as older records hold it: only the placements with others have conditions.
TEST(Load, PlacementsWithoutConditionsCountWhereTheDeviceHasNoSensors) {
  Conditions shared;
  shared.other_processes = 1;
  const auto with = [&](double time, int placements, int with_others) {
    Record record = record_of(about(time));
    for (ProcessSamples& process : record.cases[0].series[0].processes)
      for (int i = 1; i < placements; ++i) process.placements.push_back(process.placements[0]);
    for (Placement& one : record.cases[0].series[0].processes[0].placements)
      if (with_others-- > 0) one.conditions = shared;
    return record;
  };
  const ComparisonRow one = only_row(compare(with(20, 16, 0), with(60, 16, 1), {}));
  EXPECT_EQ(one.verdict, Verdict::regressed) << "in one of 80 placements";
  EXPECT_THAT(
      one.diagnostics,
      Contains(fact(DiagnosticCode::shared_device,
                    {{"baseline", 0}, {"baseline_known", 0}, {"current", 1}, {"current_known", 80}})));
  Record all = with(60, 6, 0);
  set_conditions(all.cases[0].series[0], shared);
  const ComparisonRow most = only_row(compare(with(20, 6, 3), all, {}));
  EXPECT_EQ(most.verdict, Verdict::inconclusive);
  EXPECT_THAT(most.reason, fact(ReasonCode::contaminated, {{"baseline", 0.1}, {"current", 1.0}}));
  EXPECT_THAT(only_row(compare(with(20, 6, 0), all, {})).reason.figures, testing::SizeIs(1))
      << "nobody knows about the baseline";
}

TEST(Load, OnlyMetricsThatSufferFromOthersAreWatched) {
  EXPECT_TRUE(suffers_from_load("wall_time", "us"));
  EXPECT_TRUE(suffers_from_load("process_time", "us"));
  EXPECT_TRUE(suffers_from_load("requests", "1/s"));
  EXPECT_TRUE(suffers_from_load("user_time", "us"));
  EXPECT_TRUE(suffers_from_load("cpu_time", "us"));
  EXPECT_FALSE(suffers_from_load("gpu_time", "us"));
  EXPECT_FALSE(suffers_from_load("kernel_time", "us"));
  EXPECT_FALSE(suffers_from_load("peak_memory", "bytes"));
}

}  // namespace
}  // namespace harness
