#include "harness/suite/plan/case_list.h"

#include <fmt/format.h>

#include <set>

#include "harness/base/text.h"
#include "harness/suite/plan/target.h"

namespace harness {

void CaseList::add(PlannedCase planned, const At<std::string>* reference, const Location& where) {
  const auto [known, is_new] = index_.emplace(planned.id, cases.size());
  if (is_new) {
    origins_.push_back({reference, where.line});
    cases.push_back(std::move(planned));
    return;
  }
  Duplicate& duplicate = duplicates_[{where.line, where.column}];
  if (duplicate.count++ == 0) duplicate = {planned.id, origins_[known->second].line, 1};
}

void CaseList::report_duplicates(const std::string& file, ErrorList& errors) const {
  for (const auto& [place, duplicate] : duplicates_)
    errors.add({file, place.first, place.second},
               fmt::format("duplicate case {}{}", in_ticks(duplicate.id),
                           duplicate.count == 1 ? "" : fmt::format(" and {} more", duplicate.count - 1)),
               fmt::format("line {} gives it already; remove one of them", duplicate.first_line));
}

void CaseList::resolve_references(ErrorList& errors) {
  constexpr std::size_t most_searches = 5;
  std::map<const At<std::string>*, std::size_t> compared;  // cases that a reference is good for
  std::set<const At<std::string>*> reported;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const At<std::string>* written = origins_[i].reference;
    if (written == nullptr) continue;
    const bool is_itself = cases[i].reference == cases[i].id;
    compared[written] += is_itself ? 0 : 1;
    if (is_itself) {
      cases[i].reference.clear();
    } else if (!index_.contains(cases[i].reference) && reported.insert(written).second) {
      Error error = unknown_reference(*written, cases[i].reference, reported.size() <= most_searches);
      errors.add(error.where, error.message, error.advice);
    }
  }
  for (const auto& [written, count] : compared)
    if (count == 0)
      errors.add(written->where,
                 fmt::format("the reference {} is all that is measured here", in_ticks(written->value)),
                 "add a variant to compare with it, or remove `reference`");
}

// `may_search`: for an id that is nearly the same. In a large plan this takes too long.
Error CaseList::unknown_reference(const At<std::string>& written, const std::string& id,
                                  bool may_search) const {
  constexpr std::size_t most_cases_to_search = 5000;
  if (is_variant_name(written))
    return {ErrorKind::usage,
            fmt::format("the reference {} has no case {}", in_ticks(written.value), in_ticks(id)),
            written.where,
            "measure it at the same points: add it to `variants`, or exclude less; or give `per_device` "
            "a reference of its own"};
  std::vector<std::string> ids;
  if (may_search && cases.size() <= most_cases_to_search)
    for (const PlannedCase& planned : cases) ids.push_back(planned.id);
  const auto near = nearest(id, ids);
  return {ErrorKind::usage, fmt::format("unknown reference {}", in_ticks(id)), written.where,
          near ? "did you mean `" + *near + "`?" : "name a case of this suite, as `harness list` prints it"};
}

}  // namespace harness
