// A comparison is the same to the last bit on any number of threads: parts of the cases are worked on apart,
// and put together in order.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "facts.h"
#include "harness/stats/estimate/random.h"
#include "harness/verdict/trace.h"
#include "records.h"

namespace harness {
namespace {

constexpr int cases = 500;  // several parts, and a last one that is not full

// Every way in which a case can end, over and over; what differs between neighbours would show if a part
// numbered its rows by another's.
CaseRecord mixed_case(int number, stats::Random& random, bool baseline) {
  const double change = baseline || number % 11 != 3 ? 1 : 1.05;
  std::vector<double> values;
  for (int process = 0; process < 5 + number % 3; ++process)
    values.push_back((20 + number) * change * (1 + 0.002 * random.normal()));
  CaseRecord one = case_of(fmt::format("case/{}", number), {series_at(values)});
  one.device = number % 4 == 0 ? "cpu" : "cuda";
  if (number % 5 == 0)
    one.series.push_back(series_at({512, 512, 512, 512, 512}, "gpu_memory", "B"));  // never varies
  if (number % 7 == 0)
    one.series.push_back(series_at({baseline ? 0.0 : 1.0, 0, 0, 0, 0}, "retries", "1"));  // zeros
  if (number % 13 == 0) one.gate.looks = {3, 5, 7};
  if (number % 17 == 0) one.gate.margin = baseline ? 0.005 : 0.02;  // loosened
  if (number % 19 == 0 && !baseline) one.outcome = Outcome::failed;
  if (number % 23 == 0 && baseline) one.outcome = Outcome::skipped;
  if (number % 29 == 0) one.series[0].processes.resize(2);
  return one;
}

Record mixed_record(bool baseline) {
  stats::Random random(baseline ? 1 : 2);
  std::vector<CaseRecord> all;
  for (int number = 0; number < cases; ++number)
    if (number % 31 != (baseline ? 5 : 6)) all.push_back(mixed_case(number, random, baseline));
  Record record = record_of(std::move(all));
  record.machines["cuda"].fields[1].value = baseline ? "580.1" : "580.2";
  record.machines["cpu"] = Machine{"x86", "", {{"kernel", baseline ? "6.1" : "6.2", FieldClass::warn}}, {}};
  return record;
}

// Numbers with all their digits.
template <class Value>
std::string text(const std::optional<Value>& value) {
  return value ? fmt::to_string(*value) : "-";
}

std::string text(const Side& side) {
  return fmt::format("{} {} {} {} {}", side.processes, side.center, side.process_sd, side.outlier_rate,
                     fmt::join(side.process_values, " "));
}

std::string text(const ComparisonRow& row) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{} {}|{} {} {} {} {}|{} {}|{} {} {}|{} {}", row.case_id,
                     row.metric, name_of(row.verdict), testing::PrintToString(row.reason),
                     testing::PrintToString(row.diagnostics), text(row.baseline), text(row.current),
                     row.ratio, row.interval ? row.interval->lo : 0, row.interval ? row.interval->hi : 0,
                     row.degrees_of_freedom, text(row.p), text(row.p_adjusted), text(row.p_improved),
                     text(row.p_improved_adjusted), text(row.minimum_detectable), text(row.processes_needed),
                     row.margin, row.look.number, text(row.look.next),
                     row.loosened ? row.loosened->regressed : false, row.exact);
}

struct Told {
  std::vector<std::string> rows, traced;
  std::vector<MachineDifference> differences;
  std::size_t family = 0;

  bool operator==(const Told&) const = default;
};

Told told(const Record& baseline, const Record& current, unsigned threads) {
  Trace trace;
  const Comparison comparison = compare(baseline, current, Policy{}, trace, threads);
  Told told;
  for (const ComparisonRow& row : comparison.rows) told.rows.push_back(text(row));
  for (const Trace::Row& row : trace.rows)
    told.traced.push_back(fmt::format("{} {} {} {} {} {} {}", row.case_id, row.metric, row.evidence.p_worse,
                                      row.evidence.p_better, row.evidence.rank_worse, row.evidence.shown,
                                      row.evidence.looks.size()));
  told.differences = comparison.differences;
  told.family = trace.family;
  return told;
}

TEST(Threads, GiveTheSameComparisonAsOne) {
  const Record baseline = mixed_record(true), current = mixed_record(false);
  const Told alone = told(baseline, current, 1);
  ASSERT_GT(alone.rows.size(), static_cast<std::size_t>(cases));
  ASSERT_EQ(alone.differences.size(), 2U);  // of both devices
  for (const unsigned threads : {2U, 5U, 0U}) {
    const Told together = told(baseline, current, threads);
    EXPECT_EQ(alone.rows, together.rows) << threads;
    EXPECT_EQ(alone.traced, together.traced) << threads;
    EXPECT_TRUE(alone == together) << threads;
  }
}

// The record with this case alone.
Record with_case(const Record& record, const std::string& id) {
  for (const CaseRecord& one : record.cases)
    if (one.id == id) {
      Record only = record_of({one});
      only.machines = record.machines;
      return only;
    }
  return record_of(std::vector<CaseRecord>());
}

// Rows of a part that is not the first must be about their own cases.
TEST(Threads, LeaveEachCaseItsOwnRow) {
  const Record baseline = mixed_record(true), current = mixed_record(false);
  const Comparison whole = compare(baseline, current, Policy{}, 3);
  for (std::size_t i = 0; i < whole.rows.size(); i += 7) {
    const ComparisonRow& row = whole.rows[i];
    if (row.verdict != Verdict::inconclusive && row.verdict != Verdict::unchanged) continue;
    const Record one_before = with_case(baseline, row.case_id), one_after = with_case(current, row.case_id);
    const Comparison alone = compare(one_before, one_after, Policy{});
    const auto same = std::find_if(alone.rows.begin(), alone.rows.end(),
                                   [&](const ComparisonRow& other) { return other.metric == row.metric; });
    ASSERT_NE(same, alone.rows.end());
    EXPECT_EQ(text(row.baseline), text(same->baseline)) << row.case_id;
    EXPECT_EQ(text(row.current), text(same->current)) << row.case_id;
    EXPECT_EQ(row.ratio, same->ratio) << row.case_id;
  }
}

}  // namespace
}  // namespace harness
