// The parts of a pin that are no part of a record: what cases share, and figures as the columns of a table.
#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/model/record_fields.h"

namespace harness {

// Written once for all cases. A case with another gate has its own. It tells only those members of its
// sampling that differ from the shared one, and of the suite's those that differ from its own.
inline constexpr auto shared_by_cases = list_fields<CaseRecord>(
    JsonLayout::lines, field("gate", &CaseRecord::gate), field("sampling", &CaseRecord::sampling));

// Whether a member of the plan is told in relation to another one.
constexpr bool is_relative(std::string_view name) {
  return name == "gate" || name == "sampling" || name == "suite_sampling";
}

// Calls `visit(field, struct)` for each figure of a process, those of the conditions last.
template <class Figures, class Visit>
void for_each_figure(Figures& figures, Visit visit) {
  for_each_field<ProcessFigures>([&](const auto& one) {
    if constexpr (!std::is_same_v<typename std::remove_cvref_t<decltype(one)>::Member, ConditionFigures>)
      visit(one, figures);
  });
  for_each_field<ConditionFigures>([&](const auto& one) { visit(one, figures.conditions); });
}

// The value of a process for people: six digits of exp(log).
inline constexpr const char* value_column = "value";

// The numbers of the processes of a case, without that of a look, which times nothing.
inline std::vector<int> timed_processes(const std::vector<ProcessResult>& results) {
  std::vector<int> numbers;
  for (const ProcessResult& result : results)
    if (result.process > 0) numbers.push_back(result.process);
  return numbers;
}

// A series with one sample a process, in the order of the case's processes; or with the same in all.
inline constexpr const char* value_each = "values";
inline constexpr const char* same_value = "value";

}  // namespace harness
