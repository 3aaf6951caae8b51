#include "harness/verdict/read/rename.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/text.h"

namespace harness {
namespace {

// Beyond this many of a kind at the same parameters no pairing would be more than a guess.
constexpr std::size_t most_alike = 50;
constexpr std::size_t longest_id = 256;  // a name is shorter, a hostile one is not

using Cases = std::vector<const CaseRecord*>;

std::unordered_set<std::string_view> ids_of(const Record& record) {
  std::unordered_set<std::string_view> ids;
  for (const CaseRecord& one : record.cases) ids.insert(one.id);
  return ids;
}

// The device and every parameter's value, in any order: a rename keeps them.
std::string kept(const CaseRecord& one) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : one.params.entries()) parts.push_back(name + "=" + sdk::to_string(value));
  std::sort(parts.begin(), parts.end());
  return one.device + "/" + join(parts, "/");
}

std::map<std::string, Cases> only_in(const Record& record, const Record& other) {
  if (std::equal(record.cases.begin(), record.cases.end(), other.cases.begin(), other.cases.end(),
                 [](const CaseRecord& one, const CaseRecord& its) { return one.id == its.id; }))
    return {};  // usual, and found without a set of a million ids
  const std::unordered_set<std::string_view> known = ids_of(other);
  std::map<std::string, Cases> found;
  for (const CaseRecord& one : record.cases)
    if (!known.contains(one.id) && one.id.size() <= longest_id) found[kept(one)].push_back(&one);
  return found;
}

// The workload or the variant kept its name, or the ids differ by a typing error.
bool plausible(const CaseRecord& one, const CaseRecord& other) {
  if (!one.workload.empty() && one.workload == other.workload) return true;
  if (!one.variant.empty() && one.variant == other.variant) return true;
  return edit_distance(one.id, other.id) <= 1 + std::min(one.id.size(), other.id.size()) / 4;
}

// The plausible counterpart nearest by name; null when there is none, or two are equally near.
const CaseRecord* counterpart(const CaseRecord& one, const Cases& others) {
  const CaseRecord* best = nullptr;
  std::size_t best_distance = 0;
  bool tied = false;
  for (const CaseRecord* other : others) {
    if (!plausible(one, *other)) continue;
    const std::size_t distance = edit_distance(one.id, other->id);
    if (best != nullptr && distance >= best_distance) {
      tied |= distance == best_distance;
      continue;
    }
    best = other;
    best_distance = distance;
    tied = false;
  }
  return tied ? nullptr : best;
}

}  // namespace

void advise_renames(std::vector<ComparisonRow>& rows, const Record& baseline, const Record& current) {
  const std::map<std::string, Cases> removed = only_in(baseline, current);
  if (removed.empty()) return;
  const std::map<std::string, Cases> added = only_in(current, baseline);
  std::unordered_map<std::string_view, Diagnostic> renamed;
  for (const auto& [parameters, old] : removed) {
    const auto found = added.find(parameters);
    if (found == added.end() || old.size() > most_alike || found->second.size() > most_alike) continue;
    for (const CaseRecord* before : old) {
      const CaseRecord* after = counterpart(*before, found->second);
      if (after == nullptr || counterpart(*after, old) != before) continue;
      renamed[before->id] = {DiagnosticCode::renamed_to, {{"case", after->id}}};
      renamed[after->id] = {DiagnosticCode::renamed_from, {{"case", before->id}}};
    }
  }
  if (renamed.empty()) return;
  for (ComparisonRow& row : rows)
    if (const auto found = renamed.find(row.case_id); found != renamed.end())
      row.diagnostics.insert(row.diagnostics.begin(), found->second);
}

}  // namespace harness
