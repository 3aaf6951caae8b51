#include "harness/verdict/check/stands_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"
#include "harness/verdict/check/timed_inputs.h"
#include "harness/verdict/decide/looks.h"

namespace harness {
namespace {

constexpr double same_work = 1e-9;  // relative; beyond the rounding of a sum

std::string text_of(double value) {
  return fmt::format("{:g}", value);
}
std::string text_of(std::uint64_t value) {
  return fmt::format("{}", value);
}
std::string text_of(int value) {
  return fmt::format("{}", value);
}

// Calls `visit` with the name of each setting that bears on what a case can show, its member, and whether
// the second of two values is weaker.
template <class Visit>
void for_each_setting(Visit visit) {
  const auto fewer = [](auto before, auto after) { return after < before; };
  const auto other = [](auto before, auto after) { return after != before; };
  visit("processes", &Sampling::processes, fewer);
  visit("samples", &Sampling::samples, fewer);
  visit("min_samples", &Sampling::min_samples, fewer);
  visit("width_samples", &Sampling::width_samples, fewer);
  visit("max_time", &Sampling::max_time, fewer);
  visit("seed", &Sampling::seed, other);
}

// The settings of the suite, whatever the command line replaced. Another tool's are not known.
Sampling asked_of(const CaseRecord& record) {
  if (record.device == import_device) return {};
  return record.suite_sampling.value_or(record.sampling);
}

// The settings that decide: those of the baseline's suite. Inputs that it only proposed, when it was a change
// itself, decide nothing until a record was timed on them.
Sampling decided_by(const CaseRecord& before) {
  Sampling decided = asked_of(before);
  decided.inputs = before.sampling.inputs;
  decided.inputs_hash = before.sampling.inputs_hash;
  return decided;
}

std::string proposal_words(const Difference& one) {
  return fmt::format("{} {} -> {}", one.name, *one.baseline, *one.current);
}

void add_less(std::vector<Difference>& found, const char* name, double before, double after) {
  if (after < before * (1 - same_work)) found.push_back({name, text_of(before), text_of(after)});
}

void add_other(std::vector<Difference>& found, const char* name, const std::string& before,
               const std::string& after) {
  if (before != after) found.push_back({name, before, after});
}

std::string line_of(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return join(quoted, " ");
}

std::string line_of(const std::map<std::string, std::string>& env) {
  std::vector<std::string> words;
  for (const auto& [name, value] : env) words.push_back(name + "=" + value);
  return line_of(words);
}

void add_programs(std::vector<Difference>& found, const CaseRecord& before, const CaseRecord& after) {
  const Program none;
  const Program &old = before.program ? *before.program : none, &now = after.program ? *after.program : none;
  add_other(found, "command", line_of(old.command), line_of(now.command));
  add_other(found, "env", line_of(old.env), line_of(now.env));
  add_other(found, "prepare", old.prepare, now.prepare);
  add_other(found, "reads", old.reads, now.reads);
}

double largest_error(const CaseRecord& record) {
  double error = 0;
  for (const ProcessResult& result : record.processes)
    if (result.verification)
      error = std::max({error, result.verification->before, result.verification->after});
  return error;
}

// Whether both sides told a tolerance, and the current one's is wider.
bool is_wider(const CaseRecord& before, const CaseRecord& after) {
  const double old = tolerance_of(before);
  return old > 0 && tolerance_of(after) > old * (1 + same_work);
}

}  // namespace

std::vector<Difference> weaker_settings(const Sampling& before, const Sampling& after) {
  std::vector<Difference> found;
  for_each_setting([&](const char* name, auto member, auto is_weaker) {
    if (is_weaker(before.*member, after.*member))
      found.push_back({name, text_of(before.*member), text_of(after.*member)});
  });
  if (!same_inputs(before, after)) found.push_back({"inputs", inputs_text(before), inputs_text(after)});
  return found;
}

void take_settings(Plan& plan, const Record& baseline, const FindInputs& find_inputs) {
  std::map<std::string_view, const CaseRecord*> known;
  for (const CaseRecord& one : baseline.cases) known.emplace(one.id, &one);
  for (PlannedCase& planned : plan.cases) {
    const auto before = known.find(planned.id);
    if (before == known.end() || before->second->device != planned.device) continue;
    const Sampling old = decided_by(*before->second);
    const Sampling own = planned.suite_sampling.value_or(planned.sampling);
    Sampling taken = planned.sampling;
    for_each_setting([&](const char*, auto member, auto is_weaker) {
      const bool by_suite = taken.*member == own.*member;
      if (by_suite && is_weaker(old.*member, own.*member)) taken.*member = old.*member;
    });
    if (same_inputs(taken, own) && !same_inputs(old, own)) {
      const std::string file = old.inputs_hash.empty() ? std::string() : find_inputs(planned, old);
      if (old.inputs_hash.empty() || !file.empty()) {
        taken.inputs = old.inputs;
        taken.inputs_hash = old.inputs_hash;
        planned.inputs_file = file;
      }
    }
    if (taken == planned.sampling) continue;
    if (planned.gate.looks == default_looks(planned.sampling.processes))
      planned.gate.looks = default_looks(taken.processes);
    planned.sampling = taken;
    planned.suite_sampling = own;
  }
}

std::optional<Obstacle> meaning_obstacle(const CaseRecord& before, const CaseRecord& after) {
  std::vector<Difference> found;
  add_programs(found, before, after);
  add_less(found, "flops", before.flops, after.flops);
  add_less(found, "bytes", before.bytes, after.bytes);
  add_less(found, "items", before.items, after.items);
  add_less(found, "link_bytes", before.link_bytes, after.link_bytes);
  add_less(found, "gpus", before.gpus, after.gpus);
  if (before.hides.empty() != after.hides.empty())
    found.push_back({"module", before.hides.empty() ? "built-in" : before.hides,
                     after.hides.empty() ? "built-in" : after.hides});
  // A weaker setting counts only where the suite asks for it and the case was measured with it.
  const std::vector<Difference> asked = weaker_settings(decided_by(before), asked_of(after));
  for (Difference& one : weaker_settings(decided_by(before), after.sampling))
    if (std::any_of(asked.begin(), asked.end(),
                    [&](const Difference& other) { return other.name == one.name; }))
      found.push_back(std::move(one));
  if (found.empty()) return {};
  return Obstacle{{ReasonCode::case_differs}, std::move(found)};
}

std::optional<Diagnostic> settings_proposed(const CaseRecord& before, const CaseRecord& after) {
  std::vector<std::string> settings;
  for (const Difference& one : weaker_settings(decided_by(before), asked_of(after)))
    settings.push_back(proposal_words(one));
  if (settings.empty()) return {};
  return Diagnostic{DiagnosticCode::sampling_proposed, {{"settings", join(settings, ", ")}}};
}

std::optional<Diagnostic> inputs_proposed(const CaseRecord& before, const CaseRecord& after) {
  const Sampling asked = asked_of(after);
  if (same_inputs(before.sampling, asked)) return {};
  const Difference told{"inputs", inputs_text(before.sampling), inputs_text(asked)};
  return Diagnostic{DiagnosticCode::sampling_proposed, {{"settings", proposal_words(told)}}};
}

double tolerance_of(const CaseRecord& record) {
  double tolerance = 0;
  for (const ProcessResult& result : record.processes)
    if (result.verification) tolerance = std::max(tolerance, result.verification->tolerance);
  return tolerance;
}

std::optional<Reason> beyond_old_tolerance(const CaseRecord& before, const CaseRecord& after) {
  const double old = tolerance_of(before), error = largest_error(after);
  if (!is_wider(before, after) || error <= old) return {};
  return Reason{ReasonCode::wider_tolerance,
                {{"error", error}, {"baseline", old}, {"current", tolerance_of(after)}}};
}

std::optional<Diagnostic> tolerance_proposed(const CaseRecord& before, const CaseRecord& after) {
  if (!is_wider(before, after)) return {};
  return Diagnostic{DiagnosticCode::tolerance_proposed,
                    {{"baseline", tolerance_of(before)},
                     {"current", tolerance_of(after)},
                     {"error", largest_error(after)}}};
}

}  // namespace harness
