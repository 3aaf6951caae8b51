#include "harness/cli/judging/compare_files.h"

#include <utility>
#include <vector>

#include "harness/cli/judging/deciding_waivers.h"
#include "harness/store/record_file.h"
#include "harness/verdict/compare_parts.h"

namespace harness {
namespace {

// A side that select_current() or select_baseline() would not refuse.
std::optional<Selected> side_in(const RecordParts& parts, const std::string& name,
                                const SelectOptions& select) {
  const std::optional<Record>& header = parts.header();
  if (!header || header->finished.empty() || (!select.suite.empty() && header->suite.name != select.suite))
    return std::nullopt;
  return select_file_header(*header, name);
}

}  // namespace

std::optional<ComparedSides> compare_files(const std::string& baseline, const std::string& current,
                                           const SelectOptions& select, const PolicyOfSide& policy_of) {
  if (!baseline.ends_with(".json") || !current.ends_with(".json")) return std::nullopt;
  RecordParts before(baseline), after(current);
  std::optional<Selected> old = side_in(before, baseline, select), now = side_in(after, current, select);
  if (!old || !now || (!old->record.id.empty() && old->record.id == now->record.id)) return std::nullopt;
  std::optional<Policy> policy = policy_of(now->record);
  if (!policy || !decide_waivers(*policy, old->source, now->source)) return std::nullopt;
  PartsComparison parts(old->record, now->record, std::move(*policy));
  while (true) {
    std::optional<std::vector<CaseRecord>> some = before.next(), others = after.next();
    if (!some || !others) return std::nullopt;
    if (some->empty() && others->empty()) break;
    if (!parts.add(std::move(*some), std::move(*others))) return std::nullopt;
  }
  std::optional<Comparison> comparison = parts.finish();
  if (!comparison) return std::nullopt;
  return ComparedSides{std::move(*old), std::move(*now), std::move(*comparison)};
}

}  // namespace harness
