// A comparison in parts is that of the whole records, whatever the parts and the order of the cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness/model/results/comparison_fields.h"
#include "harness/stats/estimate/random.h"
#include "harness/verdict/compare_parts.h"
#include "records.h"

namespace harness {
namespace {

constexpr int cases = 400;

CaseRecord plain_case(int number, stats::Random& random, bool baseline) {
  const double change = baseline || number % 11 != 3 ? 1 : 1.05;
  std::vector<double> values;
  for (int process = 0; process < 1 + number % 7; ++process)
    values.push_back((20 + number) * change * (1 + 0.002 * random.normal()));
  CaseRecord one = case_of(fmt::format("case/{}", number), {series_at(values)});
  if (number % 5 == 0) one.series.push_back(series_at({512, 512, 512}, "gpu_memory", "B"));
  if (number % 7 == 0) one.series.push_back(series_at({baseline ? 0.0 : 1.0, 0, 0}, "retries", "1"));
  if (number % 17 == 0) one.gate.margin = baseline ? 0.005 : 0.02;
  if (number % 23 == 0 && baseline) one.series.push_back(series_at({3, 4, 3}, "only_here", "1"));
  for (int process = 1; process <= 1 + number % 7; ++process) {
    ProcessResult& result = one.processes.emplace_back();
    result.case_id = one.id;
    result.process = process;
  }
  return one;
}

// Each side lacks some cases of the other.
Record plain_record(bool baseline) {
  stats::Random random(baseline ? 1 : 2);
  std::vector<CaseRecord> all;
  for (int number = 0; number < cases; ++number)
    if (number % 31 != (baseline ? 5 : 6)) all.push_back(plain_case(number, random, baseline));
  Record record = record_of(std::move(all));
  record.id = baseline ? "r1" : "r2";
  record.machines["cuda"].fields[1].value = baseline ? "580.1" : "580.2";
  return record;
}

std::string text(const Comparison& comparison) {
  std::string all = fmt::format("{} {} {} {}", name_of(comparison.verdict), comparison.suite,
                                comparison.baseline.device, comparison.current.device);
  all += to_json(comparison_facts, comparison, JsonLayout::lines);
  for (const ComparisonRow& row : comparison.rows)
    all += to_json(Described<ComparisonRow>::fields, row, JsonLayout::lines);
  return all;
}

Record header_of(const Record& record) {
  Record header = record;
  header.cases.clear();
  return header;
}

// So many cases of the record from a place on, at most.
std::vector<CaseRecord> some(const Record& record, std::size_t place, std::size_t count) {
  const auto at = [&](std::size_t i) {
    return record.cases.begin() + static_cast<std::ptrdiff_t>(std::min(i, record.cases.size()));
  };
  return {at(place), at(place + count)};
}

std::optional<Comparison> in_parts(const Record& baseline, const Record& current, std::size_t before,
                                   std::size_t after) {
  PartsComparison parts(header_of(baseline), header_of(current), Policy{}, 2);
  for (std::size_t i = 0; i * before < baseline.cases.size() || i * after < current.cases.size(); ++i)
    if (!parts.add(some(baseline, i * before, before), some(current, i * after, after))) return std::nullopt;
  return parts.finish();
}

TEST(CompareParts, GiveTheComparisonOfTheWhole) {
  const Record baseline = plain_record(true), current = plain_record(false);
  const std::string whole = text(compare(baseline, current, Policy{}));
  for (const auto& [before, after] : {std::pair(1, 1), {64, 64}, {7, 100}, {100, 7}, {cases, cases}}) {
    const std::optional<Comparison> parts = in_parts(baseline, current, before, after);
    ASSERT_TRUE(parts) << before;
    EXPECT_EQ(text(*parts), whole) << before << " " << after;
  }
}

TEST(CompareParts, MayHaveTheirCasesInAnotherOrder) {
  Record baseline = plain_record(true), current = plain_record(false);
  std::reverse(baseline.cases.begin(), baseline.cases.end());
  std::rotate(current.cases.begin(), current.cases.begin() + 50, current.cases.end());
  const std::optional<Comparison> parts = in_parts(baseline, current, 30, 40);
  ASSERT_TRUE(parts);
  EXPECT_EQ(text(*parts), text(compare(baseline, current, Policy{})));
}

// A verdict on these may need other cases.
TEST(CompareParts, AreRefusedWhereOtherCasesMatter) {
  const std::vector<std::function<void(CaseRecord&)>> changes = {
      [](CaseRecord& one) { one.outcome = Outcome::failed; },
      [](CaseRecord& one) { one.device = "cpu"; },
      [](CaseRecord& one) { one.series.clear(); },
      [](CaseRecord& one) {
        one.program = Program{"p", {"true"}, ""};
      },
      [](CaseRecord& one) {
        one.gate.looks = {2, 4};
      },
      [](CaseRecord& one) {
        one.gate.metrics = {{"gpu_memory", 0.1, {}}};
      },
      [](CaseRecord& one) { one.processes[0].identity = Identity{"abc"}; },
      [](CaseRecord& one) { one.processes[0].control = Control{}; },
      [](CaseRecord& one) { one.processes[0].kernels.emplace_back(); },
      [](CaseRecord& one) { one.processes[0].device_uuid = "GPU-2"; },
      [](CaseRecord& one) { one.series[0].processes[0].process = last_plain_process + 1; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (const std::size_t side : {0U, 1U}) {
      Record records[] = {plain_record(true), plain_record(false)};
      ASSERT_TRUE(in_parts(records[0], records[1], 64, 64));
      changes[i](records[side].cases[100]);
      EXPECT_FALSE(in_parts(records[0], records[1], cases, cases)) << i << " of side " << side;
    }
  const Record empty = header_of(plain_record(true));
  EXPECT_FALSE(in_parts(empty, plain_record(false), 64, 64));
}

}  // namespace
}  // namespace harness
