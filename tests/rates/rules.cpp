#include "rules.h"

#include <algorithm>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/multiplicity.h"
#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/compare.h"

namespace harness {
namespace {

std::vector<double> all_samples(const Series& series, bool without_outliers) {
  std::vector<double> all;
  for (const ProcessSamples& process : series.processes)
    for (const Placement& placement : process.placements)
      all.insert(all.end(), placement.samples.begin(), placement.samples.end());
  if (!without_outliers) return all;
  const stats::Fences fences = stats::tukey_fences(all);
  std::erase_if(all, [&](double sample) { return sample < fences.mild_low || sample > fences.mild_high; });
  return all;
}

}  // namespace

Slower raw_welch(double alpha, bool without_outliers, double least_change, bool corrected) {
  return [=](const Record& baseline, const Record& current) {
    std::vector<double> p;
    std::vector<std::string> slower;
    std::vector<bool> worse;
    for (std::size_t i = 0; i < current.cases.size(); ++i) {
      const auto before = all_samples(baseline.cases[i].series.front(), without_outliers);
      const auto after = all_samples(current.cases[i].series.front(), without_outliers);
      const auto test = stats::welch(before, after);
      p.push_back(2 * std::min(test->p_above(0), test->p_below(0)));
      worse.push_back(test->difference > least_change * stats::mean(before));
    }
    const std::vector<double> judged = corrected ? stats::holm(p) : p;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (judged[i] < alpha && worse[i]) slower.push_back(current.cases[i].id);
    return Called{slower, 0};
  };
}

Slower of_policy(const Policy& policy, const std::vector<int>& looks) {
  return [=](const Record& baseline, const Record& measured) {
    Record looked_at;
    if (!looks.empty()) {
      looked_at = measured;
      for (CaseRecord& one : looked_at.cases) one.gate.looks = looks;
    }
    Called called;
    for (const ComparisonRow& row : verdicts(baseline, looks.empty() ? measured : looked_at, policy)) {
      if (row.verdict == Verdict::regressed) called.slower.push_back(row.case_id);
      if (row.verdict == Verdict::inconclusive) ++called.undecided;
    }
    return called;
  };
}

}  // namespace harness
