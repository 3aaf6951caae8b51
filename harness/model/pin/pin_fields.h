// The parts of a pin that are no part of a record: what cases share, and figures as the columns of a table.
#pragma once

#include <string>
#include <vector>

#include "harness/model/record_fields.h"

namespace harness {

// Written once for all cases; a case that differs has its own.
inline constexpr auto shared_by_cases = list_fields<CaseRecord>(
    JsonLayout::lines, field("gate", &CaseRecord::gate), field("sampling", &CaseRecord::sampling),
    field("suite_sampling", &CaseRecord::suite_sampling).unless_default());

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

}  // namespace harness
