#include <fmt/format.h>

#include <cmath>

#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/diagnose.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/read/kernel_time.h"
#include "harness/verdict/read/kernels.h"
#include "harness/verdict/read/short_calls.h"

namespace harness {
namespace {

void add_kernels(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                 const ComparedRecords& records) {
  if (!names_metric("time", row.metric)) return;
  KernelComparison kernels = compare_kernels(before, after, row.margin);
  row.kernels = std::move(kernels.changes);
  for (std::string& note : kernels.notes) row.advice.push_back(std::move(note));
  if (kernels.same_code && row.ratio > 0 && std::abs(std::log(row.ratio)) > std::log1p(row.margin))
    row.advice.emplace_back(
        "environment alarm: the machine code of every kernel is identical on both sides, yet the time "
        "moved: look "
        "at clocks, driver, inputs and placement before blaming the code");
  if (const auto doubt = kernel_time_doubt(before, records.baseline_pairs.of(before.device)))
    row.advice.push_back("baseline: " + *doubt);
  if (const auto doubt = kernel_time_doubt(after, records.current_pairs.of(after.device)))
    row.advice.push_back("current: " + *doubt);
}

const Series* series_named(const CaseRecord& record, std::string_view metric) {
  for (const Series& series : record.series)
    if (series.metric == metric) return &series;
  return nullptr;
}

}  // namespace

void describe(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
              const SideReading& baseline, const SideReading& current, const ComparedRecords& records) {
  if (!records.for_words) return;
  std::string short_call;
  if (const Series* series = series_named(after, row.metric))
    short_call = short_call_advice(*series, after.sampling, row.current.center, current.step);
  for (std::string& note : diagnose(row, baseline, current, records.pairing, short_call))
    row.advice.push_back(std::move(note));
  add_kernels(row, before, after, records);
}

}  // namespace harness
