#include "harness/model/results/comparison.h"

#include <algorithm>
#include <map>
#include <string_view>

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

double alpha_to_pass(const ComparisonRow& row) {
  return passing_alpha / static_cast<double>(std::max<std::size_t>(row.look.declared.size(), 1));
}

bool is_pass(Verdict verdict) {
  switch (verdict) {
    case Verdict::identical:
    case Verdict::environment:
    case Verdict::moved:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::improved: return true;
    default: return false;
  }
}

bool hides_regression(const ComparisonRow& row) {
  return row.loosened && row.loosened->regressed && (row.verdict != Verdict::regressed || row.informative);
}

bool decides(const ComparisonRow& row) {
  const bool waived =
      row.waiver && (row.verdict == Verdict::regressed || row.verdict == Verdict::inconclusive);
  return !row.informative && !waived;
}

Verdict overall_verdict(const std::vector<ComparisonRow>& rows) {
  for (const Verdict verdict :
       {Verdict::failed, Verdict::regressed, Verdict::missing, Verdict::not_comparable, Verdict::inconclusive,
        Verdict::improved, Verdict::environment, Verdict::moved, Verdict::not_worse, Verdict::unchanged,
        Verdict::identical})
    if (any(rows, verdict)) return verdict;
  // Rows that decide nothing were compared all the same.
  const bool compared = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    return row.verdict != Verdict::skipped && !decides(row);
  });
  return compared ? Verdict::unchanged : Verdict::skipped;
}

namespace {

// The verdict with the highest number stands for the case; 0: does not count.
int gravity(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed: return 7;
    case Verdict::regressed: return 6;
    case Verdict::inconclusive: return 5;
    case Verdict::not_comparable: return 4;
    case Verdict::improved: return 3;
    case Verdict::environment:
    case Verdict::moved:
    case Verdict::not_worse:
    case Verdict::unchanged: return 2;
    case Verdict::identical: return 1;
    case Verdict::missing:
    case Verdict::skipped: break;
  }
  return 0;
}

bool is_bad(Verdict verdict) {
  return gravity(verdict) >= gravity(Verdict::inconclusive);
}

}  // namespace

std::vector<CaseVerdict> case_verdicts(const std::vector<ComparisonRow>& rows) {
  std::vector<CaseVerdict> cases;
  std::map<std::string_view, std::size_t> places;
  for (const ComparisonRow& row : rows) {
    if (row.informative || gravity(row.verdict) == 0) continue;
    const bool waived = row.waiver && is_bad(row.verdict);
    const auto [place, added] = places.emplace(row.case_id, cases.size());
    if (added) cases.push_back({row.case_id, row.verdict, waived});
    CaseVerdict& one = cases[place->second];
    if (is_bad(one.verdict) && is_bad(row.verdict))
      one.waived = one.waived && waived;
    else if (is_bad(row.verdict))
      one.waived = waived;
    if (gravity(row.verdict) > gravity(one.verdict)) one.verdict = row.verdict;
  }
  return cases;
}

bool may_be_baseline(const CaseVerdict& verdict) {
  return verdict.waived || !is_bad(verdict.verdict);
}

Verdict verdict_without_waivers(const std::vector<ComparisonRow>& rows) {
  std::vector<ComparisonRow> bare = rows;
  for (ComparisonRow& row : bare) row.waiver.reset();
  return overall_verdict(bare);
}

int exit_code(const Comparison& comparison) {
  return exit_code_by(comparison.policy, comparison);
}

int exit_code_by(const Policy& policy, const Comparison& comparison) {
  const std::vector<ComparisonRow>& rows = comparison.rows;
  if (any(rows, Verdict::failed)) return 5;
  if (any(rows, Verdict::regressed)) return 1;
  if (policy.fail_on_improved && any(rows, Verdict::improved)) return 1;
  const bool nothing_compared = overall_verdict(rows) == Verdict::skipped;
  if (nothing_compared && !policy.allow_skipped) return 4;
  if (any(rows, Verdict::missing) && !policy.allow_missing) return 4;
  if (any(rows, Verdict::not_comparable) && !policy.allow_not_comparable) return 4;
  if (any(rows, Verdict::inconclusive) && !policy.allow_inconclusive) return 3;
  return 0;
}

}  // namespace harness
