#include "harness/model/results/comparison.h"

#include <algorithm>

namespace harness {
namespace {

bool any(const std::vector<ComparisonRow>& rows, Verdict verdict) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ComparisonRow& row) { return row.verdict == verdict && decides(row); });
}

}  // namespace

double time_of(const KernelUse& kernel) {
  return kernel.us * kernel.launches;
}

double KernelChange::ratio() const {
  if (!baseline || !current) return 0;
  const double before = time_of(*baseline), after = time_of(*current);
  return before > 0 && after > 0 ? after / before : 0;
}

double alpha_of_look(const ComparisonRow& row) {
  return row.alpha / static_cast<double>(std::max<std::size_t>(row.look.declared.size(), 1));
}

bool hides_regression(const ComparisonRow& row) {
  return row.loosened && row.loosened->regressed && (row.verdict != Verdict::regressed || row.informative);
}

bool decides(const ComparisonRow& row) {
  return !row.informative && !(row.waiver && row.verdict == Verdict::regressed);
}

Verdict overall_verdict(const std::vector<ComparisonRow>& rows) {
  for (const Verdict verdict :
       {Verdict::failed, Verdict::regressed, Verdict::missing, Verdict::not_comparable, Verdict::inconclusive,
        Verdict::improved, Verdict::unchanged})
    if (any(rows, verdict)) return verdict;
  // Rows that decide nothing were compared all the same.
  const bool compared = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    return row.verdict != Verdict::skipped && !decides(row);
  });
  return compared ? Verdict::unchanged : Verdict::skipped;
}

Verdict verdict_without_waivers(const std::vector<ComparisonRow>& rows) {
  std::vector<ComparisonRow> bare = rows;
  for (ComparisonRow& row : bare) row.waiver.reset();
  return overall_verdict(bare);
}

int exit_code(const Comparison& comparison) {
  const std::vector<ComparisonRow>& rows = comparison.rows;
  if (any(rows, Verdict::failed)) return 5;
  if (any(rows, Verdict::regressed)) return 1;
  if (comparison.policy.fail_on_improved && any(rows, Verdict::improved)) return 1;
  const bool nothing_compared = overall_verdict(rows) == Verdict::skipped;
  const bool missing = any(rows, Verdict::missing) || nothing_compared;
  if (missing && !comparison.policy.allow_missing) return 4;
  if (any(rows, Verdict::not_comparable) && !comparison.policy.allow_not_comparable) return 4;
  if (any(rows, Verdict::inconclusive) && !comparison.policy.allow_inconclusive) return 3;
  return 0;
}

}  // namespace harness
