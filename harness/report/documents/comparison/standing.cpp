#include "harness/report/documents/comparison/standing.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/report/numbers.h"
#include "harness/report/words/kernel_words.h"
#include "harness/report/words/policy_words.h"

namespace harness::report {
namespace {

std::string with_issue(const Waiver& waiver) {
  if (waiver.issue.empty()) return waiver.reason;
  return fmt::format("{} ({})", waiver.reason, waiver.issue);
}

std::string describe_kernel(const KernelChange& change) {
  const double ratio = change.ratio();
  std::vector<std::string> parts;
  if (change.kind == KernelChange::Kind::appeared) parts.emplace_back("only in the current record");
  if (change.kind == KernelChange::Kind::vanished) parts.emplace_back("only in the baseline");
  if (ratio > 0) parts.push_back(signed_percent(ratio - 1));
  parts.push_back(words(change));
  return fmt::format("kernel `{}`: {}", change.name(), join(parts, ", "));
}

std::string consequence(const WaiverUse& use) {
  std::vector<std::string> parts;
  if (use.waived > 0)
    parts.push_back(counted(static_cast<std::size_t>(use.waived), "result passes", "results pass") +
                    " because of it");
  if (use.refused > 0)
    parts.push_back(counted(static_cast<std::size_t>(use.refused), "result fails", "results fail") +
                    " all the same");
  return parts.empty() ? std::string() : "; " + join(parts, ", ");
}

std::string describe_use(const WaiverUse& use) {
  const Waiver& waiver = use.waiver;
  const std::string reach = fmt::format("until {}, up to {}", waiver.expires, signed_percent(waiver.ceiling));
  const std::string why = with_issue(waiver) + consequence(use);
  switch (use.state) {
    case WaiverUse::State::holds: return fmt::format("holds {}: {}", reach, why);
    case WaiverUse::State::exceeded: return fmt::format("EXCEEDED; it holds {}: {}", reach, why);
    case WaiverUse::State::expired: return fmt::format("EXPIRED; it held {}: {}", reach, why);
    case WaiverUse::State::unmatched: return fmt::format("matches no case; it holds {}: {}", reach, why);
    case WaiverUse::State::proposed: return fmt::format("PROPOSED by the change; {}: {}", reach, why);
    case WaiverUse::State::unused: break;
  }
  return fmt::format("not needed; {}: {}", reach, why);
}

Paint paint_of(WaiverUse::State state) {
  switch (state) {
    case WaiverUse::State::holds: return Paint::doubtful;
    case WaiverUse::State::exceeded:
    case WaiverUse::State::expired: return Paint::bad;
    case WaiverUse::State::unmatched:
    case WaiverUse::State::proposed: return Paint::doubtful;
    case WaiverUse::State::unused: break;
  }
  return Paint::faint;
}

}  // namespace

Effect effect_of(const ComparisonRow& row, const Policy& policy) {
  if (row.informative) return Effect::passes;
  if (!decides(row)) return Effect::allowed;
  const auto unless = [](bool allowed) { return allowed ? Effect::allowed : Effect::fails; };
  switch (row.verdict) {
    case Verdict::failed:
    case Verdict::regressed: return Effect::fails;
    case Verdict::missing: return unless(policy.allow_missing);
    case Verdict::not_comparable: return unless(policy.allow_not_comparable);
    case Verdict::inconclusive: return unless(policy.allow_inconclusive);
    case Verdict::improved: return policy.fail_on_improved ? Effect::fails : Effect::passes;
    case Verdict::identical:
    case Verdict::environment:
    case Verdict::moved:
    case Verdict::not_worse:
    case Verdict::unchanged:
    case Verdict::skipped: break;
  }
  return Effect::passes;
}

std::string standing_words(const ComparisonRow& row) {
  if (row.informative) return "informative: it decides nothing";
  if (decides(row)) return {};
  return fmt::format("waived until {}: {}", row.waiver->expires, with_issue(*row.waiver));
}

std::vector<std::string> kernel_words(const ComparisonRow& row) {
  std::vector<std::string> lines;
  for (const KernelChange& change : row.kernels) lines.push_back(describe_kernel(change));
  return lines;
}

std::string policy_words(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const PolicyFact& fact : comparison.policy_facts) {
    if (fact.origin == PolicyOrigin::standard) continue;
    const PolicyWords told = words(fact, comparison);
    parts.push_back(fmt::format("{} {} ({})", told.name, told.value, told.source));
  }
  return join(parts, "; ");
}

std::vector<WaiverNote> waiver_notes(const Comparison& comparison) {
  std::vector<WaiverNote> notes;
  for (const WaiverUse& use : comparison.waivers) {
    const Waiver& waiver = use.waiver;
    const std::string pattern =
        waiver.metric.empty() ? waiver.pattern : fmt::format("{} {}", waiver.pattern, waiver.metric);
    const std::string where = waiver.where.file.empty()
                                  ? std::string()
                                  : to_string(Location{waiver.where.file, waiver.where.line, 0});
    WaiverNote note{pattern, describe_use(use), where, {}, paint_of(use.state)};
    for (const WaiverAdvice& advice : use.advice) note.advice.push_back(words(advice));
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace harness::report
