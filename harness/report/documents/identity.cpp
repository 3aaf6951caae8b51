#include "harness/report/documents/identity.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/base/text.h"

namespace harness::report {
namespace {

using Segments = std::vector<std::string>;

std::string join_segments(const Segments& segments) {
  return join(segments, "/");
}

// True where the segment at that position is the same in all ids. Only a common prefix counts when
// the ids differ in length.
std::vector<bool> shared_positions(const std::vector<Segments>& all) {
  const Segments& first = all.front();
  const bool same_length = std::all_of(all.begin(), all.end(),
                                       [&](const Segments& other) { return other.size() == first.size(); });
  std::size_t limit = first.size();
  for (const Segments& other : all) limit = std::min(limit, other.size());
  if (!same_length && limit > 0) --limit;  // every label keeps at least one segment
  std::vector<bool> shared(first.size(), false);
  for (std::size_t i = 0; i < limit; ++i) {
    shared[i] =
        std::all_of(all.begin(), all.end(), [&](const Segments& other) { return other[i] == first[i]; });
    if (!shared[i] && !same_length) break;
  }
  return shared;
}

std::string pattern_of(const Segments& first, const std::vector<bool>& shared, bool prefix_only) {
  Segments pattern;
  for (std::size_t i = 0; i < first.size(); ++i) {
    pattern.push_back(shared[i] ? first[i] : "*");
    if (prefix_only && !shared[i]) break;
  }
  return join_segments(pattern);
}

}  // namespace

Shared factor_ids(std::span<const std::string> ids) {
  Shared result;
  result.labels.assign(ids.begin(), ids.end());
  if (ids.size() < 2) return result;
  std::vector<Segments> all;
  all.reserve(ids.size());
  for (const std::string& id : ids) all.push_back(split(id, '/'));
  const std::vector<bool> shared = shared_positions(all);
  const auto count = static_cast<std::size_t>(std::count(shared.begin(), shared.end(), true));
  if (count == 0 || count == shared.size()) return result;
  const bool prefix_only = std::any_of(
      all.begin(), all.end(), [&](const Segments& other) { return other.size() != all.front().size(); });
  result.pattern = pattern_of(all.front(), shared, prefix_only);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Segments open;
    for (std::size_t i = 0; i < all[k].size(); ++i)
      if (i >= shared.size() || !shared[i]) open.push_back(all[k][i]);
    result.labels[k] = join_segments(open);
  }
  return result;
}

std::vector<CaseGroup> group_cases(std::span<const NamedCase> cases) {
  std::vector<CaseGroup> groups;
  std::map<std::string, std::size_t> known;
  std::vector<std::string> ids;
  for (const NamedCase& one : cases) {
    const std::string& pattern = one.siblings.empty() ? one.id : one.siblings;
    const auto [at, is_new] = known.try_emplace(pattern, groups.size());
    if (is_new) groups.push_back({pattern, {}});
    groups[at->second].members.push_back({ids.size(), one.siblings.empty() ? one.id : one.variant});
    ids.push_back(one.id);
  }
  if (groups.size() * 2 <= ids.size() && groups.size() < ids.size()) return groups;
  Shared shared = factor_ids(ids);
  CaseGroup whole{std::move(shared.pattern), {}};
  for (std::size_t index = 0; index < ids.size(); ++index)
    whole.members.push_back({index, std::move(shared.labels[index])});
  groups.clear();
  if (!whole.members.empty()) groups.push_back(std::move(whole));
  return groups;
}

std::vector<ReasonGroup> group_by_reason(std::span<const Reasoned> cases) {
  std::vector<ReasonGroup> groups;
  std::map<std::string, std::size_t> known;
  for (const Reasoned& one : cases) {
    const auto [at, is_new] = known.try_emplace(one.reason, groups.size());
    if (is_new) groups.push_back({one.reason, {}});
    groups[at->second].ids.push_back(one.id);
  }
  return groups;
}

std::vector<Abridged> abridge(std::span<const std::string> ids) {
  std::vector<Abridged> result;
  std::unordered_map<std::string_view, std::size_t> known;
  for (const std::string& id : ids) {
    const std::size_t first = id.find('/');
    const std::size_t second = first == std::string::npos ? first : id.find('/', first + 1);
    const std::string_view kept =
        std::string_view(id).substr(0, second == std::string::npos ? second : second + 1);
    const auto [at, is_new] = known.try_emplace(kept, result.size());
    if (is_new) result.push_back({id, 0});
    Abridged& one = result[at->second];
    if (++one.count == 2) one.pattern = second == std::string::npos ? id : std::string(kept) + "*";
  }
  return result;
}

}  // namespace harness::report
