#include "rules.h"

#include <algorithm>

#include "harness/stats/hypothesis/multiplicity.h"
#include "harness/verdict/compare.h"

namespace harness {
Slower raw_welch(double alpha, bool without_outliers, double least_change, bool corrected) {
  return [=](const Record& baseline, const Record& current) {
    std::vector<double> p;
    std::vector<std::string> slower;
    std::vector<bool> worse;
    for (std::size_t i = 0; i < current.cases.size(); ++i) {
      const peers::RawWelch test = peers::raw_welch(baseline.cases[i].series.front(),
                                                    current.cases[i].series.front(), without_outliers);
      p.push_back(test.p);
      worse.push_back(test.change > least_change);
    }
    const std::vector<double> judged = corrected ? stats::holm(p) : p;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (judged[i] < alpha && worse[i]) slower.push_back(current.cases[i].id);
    return Called{slower, {}};
  };
}

Slower each_case(const peers::PeerRule& rule) {
  return [call = rule.call](const Record& baseline, const Record& current) {
    Called called;
    for (std::size_t i = 0; i < current.cases.size(); ++i) {
      const peers::Call said = call(baseline.cases[i].series.front(), current.cases[i].series.front());
      if (said == peers::Call::slower) called.slower.push_back(current.cases[i].id);
      if (said == peers::Call::undecided) called.undecided.push_back(current.cases[i].id);
    }
    return called;
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
      if (row.verdict == Verdict::inconclusive) called.undecided.push_back(row.case_id);
    }
    return called;
  };
}

}  // namespace harness
