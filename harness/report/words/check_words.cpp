#include "harness/report/words/check_words.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/text.h"
#include "harness/report/row_change.h"
#include "harness/report/words/reason_words.h"

namespace harness::report {
namespace {

using Question = Fact<CheckCode>;

const char* name_words(CheckCode code) {
  switch (code) {
    case CheckCode::both_sides: return "both sides have it";
    case CheckCode::identity: return "proof of identity";
    case CheckCode::machine: return "machine and device";
    case CheckCode::sampling: return "sampling";
    case CheckCode::estimator: return "estimator";
    case CheckCode::metric: return "metric";
    case CheckCode::gate: return "gate";
  }
  return "?";
}

std::string machine_words(const ComparabilityCheck& check) {
  const auto known = [&](const char* side) {
    const std::string machine = check.question.text(side);
    return machine.empty() ? "no machine named" : machine;
  };
  const std::string before = known("baseline"), now = known("current");
  std::string text = before == now ? now : fmt::format("{} -> {}", before, now);
  if (check.question.count("other_device") != 0) text += ", another device of the model, allowed";
  std::vector<std::string> others;
  for (const Difference& difference : check.information) others.push_back(words(difference));
  if (!others.empty()) text += "; also different: " + join(others, "; ");
  return text;
}

std::string found_words(const ComparabilityCheck& check, const ComparisonRow& row) {
  const Question& question = check.question;
  const auto measured = [&](const char* side) {
    return question.count(side) != 0 ? "measured" : "not measured";
  };
  switch (question.code) {
    case CheckCode::both_sides:
      return fmt::format("{} in the baseline, {} now", measured("baseline"), measured("current"));
    case CheckCode::identity:
      if (row.by_build) return "same build in the same environment";
      if (row.unproven) return words(*row.unproven);
      return row.by_files ? "the same in all files that one start read" : "same machine code, same launches";
    case CheckCode::machine: return machine_words(check);
    case CheckCode::sampling: return question.count("import") != 0 ? "another tool's" : "the same settings";
    case CheckCode::estimator: return question.text("estimator");
    case CheckCode::metric:
      return fmt::format("{} in {}, {} is better", row.metric, row.unit.empty() ? "no unit" : row.unit,
                         name_of(row.direction));
    case CheckCode::gate:
      return fmt::format("margin {}, alpha {:.4g} %{}",
                         row.in_unit ? margin_words(row) : fmt::format("{:.4g} %", row.margin * 100),
                         row.alpha * 100, row.informative ? ", informative" : "");
  }
  return "?";
}

}  // namespace

std::string check_words(const ComparabilityCheck& check, const ComparisonRow& row) {
  const char* name = name_words(check.question.code);
  if (check.question.code == CheckCode::identity && row.unproven && !row.by_build)
    return fmt::format("{}: none, {}", name, found_words(check, row));
  if (check.obstacle) return fmt::format("{}: NO, {}", name, reason_words(row, *check.obstacle));
  return fmt::format("{}: yes, {}", name, found_words(check, row));
}

}  // namespace harness::report
