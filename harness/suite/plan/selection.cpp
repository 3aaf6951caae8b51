#include "harness/suite/plan/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "harness/base/filter.h"
#include "harness/base/text.h"

namespace harness {
namespace {

bool names_benchmark(const std::string& pattern, const std::optional<Program>& program) {
  return program && pattern.starts_with(program->name + "/");
}

bool any_case_matches(const Plan& plan, const std::string& pattern) {
  return std::any_of(plan.cases.begin(), plan.cases.end(), [&](const PlannedCase& planned) {
    return filter_match(pattern, planned.id) || names_benchmark(pattern, planned.program);
  });
}

std::string advice_for_filter(const Plan& plan, const std::string& pattern, bool excludes) {
  if (is_regular_expression(pattern))
    return "between slashes it is a regular expression, found anywhere in an id";
  if (const std::string wider = "*" + pattern + "*"; any_case_matches(plan, wider))
    return fmt::format("a filter covers the whole id: did you mean `{}{}`?", excludes ? "!" : "",
                       printable(wider));
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min<std::size_t>(plan.cases.size(), 3); ++i)
    some.push_back("`" + printable(plan.cases[i].id) + "`");
  return fmt::format("`*` and `?` are wildcards; ids are for example {}", join(some, ", "));
}

std::vector<UnmatchedWish> unmatched_wishes(const Plan& plan, const PlanOptions& options) {
  std::vector<UnmatchedWish> unmatched;
  const auto add = [&](const std::string& option, const std::string& value, std::string message,
                       std::string advice) {
    unmatched.push_back(
        {option + value, {ErrorKind::usage, std::move(message), {plan.suite.file}, std::move(advice)}});
  };
  for (const std::string& filter : options.filters) {
    const bool excludes = filter.starts_with('!');
    const std::string pattern = excludes ? filter.substr(1) : filter;
    if (!any_case_matches(plan, pattern))
      add("--filter ", filter, fmt::format("the filter {} matches no case", in_ticks(filter)),
          advice_for_filter(plan, pattern, excludes));
  }
  std::set<std::string> known;
  for (const PlannedCase& planned : plan.cases) known.insert(planned.tags.begin(), planned.tags.end());
  const std::vector<std::string> tags(known.begin(), known.end());
  for (const std::string& tag : options.tags)
    if (!known.contains(tag))
      add("--tag ", tag, fmt::format("no case has the tag {}", in_ticks(tag)),
          tags.empty() ? "this suite has no tags" : suggestion(tag, tags));
  return unmatched;
}

}  // namespace

bool is_selected(const std::string& id, const std::optional<Program>& program,
                 const std::vector<std::string>& tags, const std::vector<std::string>& filters,
                 const std::vector<std::string>& wanted_tags) {
  std::vector<std::string> patterns = filters;
  for (std::string& pattern : patterns)
    if (names_benchmark(pattern, program)) pattern = program->name;
  if (!passes_filters(patterns, program ? program->name : id)) return false;
  return wanted_tags.empty() ||
         std::any_of(wanted_tags.begin(), wanted_tags.end(), [&](const std::string& tag) {
           return std::find(tags.begin(), tags.end(), tag) != tags.end();
         });
}

void select_cases(Plan& plan, const PlanOptions& options, ErrorList& errors) {
  if (options.filters.empty() && options.tags.empty()) return;
  std::vector<UnmatchedWish> unmatched = unmatched_wishes(plan, options);
  if (options.unmatched != nullptr) {
    *options.unmatched = std::move(unmatched);
  } else {
    for (const auto& [wish, error] : unmatched) errors.add(error.where, error.message, error.advice);
    if (!errors.empty()) return;
  }
  std::erase_if(plan.cases, [&](const PlannedCase& planned) {
    return !is_selected(planned.id, planned.program, planned.tags, options.filters, options.tags);
  });
  if (plan.cases.empty()) {
    if (options.unmatched != nullptr) return;
    errors.add({plan.suite.file}, "the filters and tags together leave no case",
               "each alone matches some; drop one");
    return;
  }
  std::unordered_set<std::string_view> left;
  for (const PlannedCase& planned : plan.cases) left.insert(planned.id);
  for (PlannedCase& planned : plan.cases)
    if (!left.contains(planned.reference)) planned.reference.clear();
}

}  // namespace harness
