#include "harness/cli/judging/compare_files.h"

#include <utility>
#include <vector>

#include "harness/base/parallel.h"
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

// Both files are read, and the cases read before are judged, at the same time. False: judging the whole
// records tells.
bool judge_parts(PartsComparison& parts, RecordParts& before, RecordParts& after) {
  using Cases = std::optional<std::vector<CaseRecord>>;
  Cases old = std::vector<CaseRecord>(), now = old;
  do {
    Cases next_old, next_now;
    bool judged = true;
    for_each_index(3, 3, [&](std::size_t work) {
      if (work == 0) next_old = before.next();
      if (work == 1) next_now = after.next();
      if (work == 2 && !(old->empty() && now->empty())) judged = parts.add(std::move(*old), std::move(*now));
    });
    if (!judged || !next_old || !next_now) return false;
    old = std::move(next_old);
    now = std::move(next_now);
  } while (!old->empty() || !now->empty());
  return true;
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
  if (!judge_parts(parts, before, after)) return std::nullopt;
  std::optional<Comparison> comparison = parts.finish();
  if (!comparison) return std::nullopt;
  return ComparedSides{std::move(*old), std::move(*now), std::move(*comparison)};
}

}  // namespace harness
