#include "harness/cli/bisect/judge_commit.h"

#include "harness/base/text.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

bool decided(const ComparisonRow& row) {
  return row.verdict == Verdict::regressed || is_pass(row.verdict);
}

}  // namespace

bool CasesInQuestion::contain(const ComparisonRow& row) const {
  if (metric.empty() ? row.informative : !names_metric(metric, row.metric)) return false;
  if (!ids.empty()) return ids.contains(row.case_id);
  return pattern.empty() || wildcard_match(pattern, row.case_id);
}

JudgedCommit judge_commit(const Record& good, const Record& record, const Policy& policy,
                          const CasesInQuestion& cases) {
  const Comparison comparison = compare(good, record, policy);
  JudgedCommit judged;
  const ComparisonRow* undecided = nullptr;
  for (const ComparisonRow& row : comparison.rows) {  // worst first
    if (!cases.contain(row)) continue;
    if (row.verdict == Verdict::regressed) judged.worse.insert(row.case_id);
    if (!decided(row) && undecided == nullptr) undecided = &row;
    if (!judged.row || (row.verdict == Verdict::regressed && judged.row->verdict != Verdict::regressed))
      judged.row = row;
  }
  if (!judged.worse.empty()) {
    judged.result = BisectStep::Result::bad;
  } else if (undecided != nullptr) {
    judged.row = *undecided;
    judged.skip.code = SkipCode::undecided_row;
  } else if (judged.row) {
    judged.result = BisectStep::Result::good;
  } else {
    judged.skip.code = SkipCode::no_case;
  }
  return judged;
}

}  // namespace harness
