#include "harness/verdict/check/describe.h"

#include <cmath>
#include <iterator>

#include "harness/verdict/cause/find_causes.h"
#include "harness/verdict/check/diagnose.h"
#include "harness/verdict/decide/gates.h"
#include "harness/verdict/read/kernel_time.h"
#include "harness/verdict/read/kernels.h"
#include "harness/verdict/read/short_calls.h"

namespace harness {
namespace {

void add_kernel_time(ComparisonRow& row, const char* side, const CaseRecord& record,
                     const EventPairCosts& pairs) {
  std::optional<Diagnostic> doubt = kernel_time_doubt(record, pairs.of(record.device));
  if (!doubt) return;
  doubt->figures.emplace_back("side", side);
  row.diagnostics.push_back(std::move(*doubt));
}

void add_kernels(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
                 const ComparedRecords& records) {
  if (!names_metric("time", row.metric)) return;
  KernelComparison kernels = compare_kernels(before, after, row.margin);
  row.kernels = std::move(kernels.changes);
  std::move(kernels.notes.begin(), kernels.notes.end(), std::back_inserter(row.diagnostics));
  if (!row.proven && kernels.same_code && row.ratio > 0 &&
      std::abs(std::log(row.ratio)) > std::log1p(row.margin))
    row.diagnostics.push_back({DiagnosticCode::same_code_moved});
  add_kernel_time(row, "baseline", before, records.baseline_pairs);
  add_kernel_time(row, "current", after, records.current_pairs);
}

}  // namespace

void describe(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
              const SideReading& baseline, const SideReading& current, const ComparedRecords& records) {
  if (!records.for_words) return;
  if (before.tuned != after.tuned)
    row.diagnostics.push_back({DiagnosticCode::tuned_otherwise,
                               {{"baseline", before.tuned.value_or({}).text_id()},
                                {"current", after.tuned.value_or({}).text_id()}}});
  std::optional<Diagnostic> short_call;
  if (const Series* series = series_named(after, row.metric))
    short_call = short_call_diagnostic(*series, after.sampling, row.current.center, current.step);
  std::vector<Diagnostic> found = diagnose(row, baseline, current, records.pairing, std::move(short_call));
  std::move(found.begin(), found.end(), std::back_inserter(row.diagnostics));
  add_kernels(row, before, after, records);
  add_causes(row, before, after, baseline, current, records);
}

}  // namespace harness
