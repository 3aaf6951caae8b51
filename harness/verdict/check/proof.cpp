#include "harness/verdict/check/proof.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "harness/model/device_kinds.h"
#include "harness/model/pin/figures.h"
#include "harness/verdict/check/launch_change.h"
#include "harness/verdict/check/observed/file_change.h"

namespace harness {
namespace {

// Fields that only warn where times are compared, and yet may choose other code.
constexpr std::array<std::string_view, 4> libraries{"driver", "cuda_driver", "cuda_runtime", "cublas"};

ProofGap gap(ProofGapCode code, Figures figures = {}) {
  return {{code, std::move(figures)}};
}

// Why a side has no digest.
std::optional<ProofGap> digest_gap(const AgreedDigest& agreed, const char* side) {
  if (agreed.disagree) return gap(ProofGapCode::disagree, {{"side", side}});
  if (!agreed.digest.empty()) return {};
  if (!agreed.unread) return gap(ProofGapCode::not_looked, {{"side", side}});
  ProofGap found = gap(ProofGapCode::unreadable, {{"side", side}});
  found.cause = agreed.unread->gap;
  return found;
}

// The side whose digest was made by older rules.
std::optional<const char*> older_rules(std::string_view baseline, std::string_view current) {
  const std::string_view before = digest_rules(baseline), after = digest_rules(current);
  if (baseline.empty() || current.empty() || before == after) return std::nullopt;
  const bool first = before.size() == after.size() ? before < after : before.size() < after.size();
  return first ? "baseline" : "current";
}

Figures changed_words(const WordMatch& words) {
  return {{"change", std::string(name_of(LaunchChange::arguments))},
          {"kernel", words.changed.front()},
          {"kernels", words.changed.size()}};
}

std::vector<Difference> differing_parameters(const sdk::Params& before, const sdk::Params& after) {
  std::map<std::string, Difference> found;
  for (const auto& [name, value] : before.entries()) found[name] = {name, sdk::to_string(value), {}};
  for (const auto& [name, value] : after.entries()) {
    found[name].name = name;
    found[name].current = sdk::to_string(value);
  }
  std::vector<Difference> differences;
  for (auto& [name, difference] : found)
    if (difference.baseline != difference.current) differences.push_back(std::move(difference));
  return differences;
}

std::optional<ProofGap> inputs_gap(const CaseRecord& baseline, const CaseRecord& current) {
  const std::string before = baseline.workload + "/" + baseline.variant,
                    after = current.workload + "/" + current.variant;
  if (before != after || baseline.device != current.device)
    return gap(ProofGapCode::other_workload, {{"baseline", before}, {"current", after}});
  const auto params_of = [](const CaseRecord& one) { return with_tuned(one.params, one.tuned.value_or({})); };
  if (baseline.params != current.params || baseline.tuned != current.tuned) {
    ProofGap found = gap(ProofGapCode::other_parameters);
    found.differences = differing_parameters(params_of(baseline), params_of(current));
    return found;
  }
  if (baseline.sampling.seed != current.sampling.seed)
    return gap(ProofGapCode::other_seed,
               {{"baseline", baseline.sampling.seed}, {"current", current.sampling.seed}});
  return {};
}

// The bytes that the starts of a side took from the host.
struct AgreedInputs {
  const Inputs* inputs = nullptr;  // of the first start that was read for it
  std::int64_t other_bytes = 0;    // that differ between two such starts
};

// The bytes of the groups that only one side has.
std::int64_t differing_bytes(const Inputs& one, const Inputs& other) {
  const auto lacking = [](const Inputs& from, const Inputs& in) {
    std::int64_t bytes = 0;
    for (const InputGroup& group : from.groups)
      if (std::find(in.groups.begin(), in.groups.end(), group) == in.groups.end())
        bytes += std::max<std::int64_t>(group.bytes, 1) * group.copies;
    return bytes;
  };
  return std::max(lacking(one, other), lacking(other, one));
}

AgreedInputs agreed_inputs(const CaseRecord& record) {
  AgreedInputs found;
  for (const ProcessResult& process : record.processes) {
    if (!process.identity || !process.identity->inputs) continue;
    const Inputs& one = *process.identity->inputs;
    if (found.inputs == nullptr)
      found.inputs = &one;
    else if (!found.inputs->gap)
      found.other_bytes = std::max(found.other_bytes, differing_bytes(*found.inputs, one));
    if (one.gap) found.inputs = &one;
  }
  return found;
}

std::optional<std::int64_t> differing_input_bytes(const CaseRecord& baseline, const CaseRecord& current) {
  const AgreedInputs before = agreed_inputs(baseline), after = agreed_inputs(current);
  for (const AgreedInputs* side : {&before, &after})
    if (side->inputs == nullptr || side->inputs->gap) return std::nullopt;
  return std::max({before.other_bytes, after.other_bytes, differing_bytes(*before.inputs, *after.inputs)});
}

}  // namespace

std::optional<std::int64_t> input_bytes_between_sides(const CaseRecord& baseline, const CaseRecord& current) {
  const AgreedInputs before = agreed_inputs(baseline), after = agreed_inputs(current);
  for (const AgreedInputs* side : {&before, &after})
    if (side->inputs == nullptr || side->inputs->gap || side->other_bytes > 0) return std::nullopt;
  return differing_bytes(*before.inputs, *after.inputs);
}

namespace {

// Why what a traced program works on is not known to be the same. The baseline's suite says whether that
// counts.
std::optional<ProofGap> host_bytes_gap(const CaseRecord& baseline, const CaseRecord& current) {
  const bool traced = current.program && current.program->reads == trace_format;
  if (!traced || (baseline.program && baseline.program->inputs == trusted_inputs)) return {};
  const AgreedInputs before = agreed_inputs(baseline), after = agreed_inputs(current);
  for (const auto& [side, agreed] : {std::pair("baseline", &before), std::pair("current", &after)}) {
    if (agreed->inputs != nullptr && !agreed->inputs->gap) continue;
    ProofGap found = gap(ProofGapCode::inputs_unread, {{"side", side}});
    if (agreed->inputs != nullptr) found.cause = agreed->inputs->gap;
    return found;
  }
  const std::int64_t bytes = differing_input_bytes(baseline, current).value_or(0);
  if (bytes > 0) return gap(ProofGapCode::other_inputs, {{"bytes", bytes}});
  return {};
}

// Whether nobody knows what a side launches. Launches that are known and differ prove the contrary.
bool is_unread(ProofGapCode why) {
  return why == ProofGapCode::not_looked || why == ProofGapCode::unreadable || why == ProofGapCode::disagree;
}

// Whether all that the case has comes from another record of its build.
bool was_taken_over(const CaseRecord& record) {
  return record.outcome == Outcome::looked_at && !record.processes.empty() &&
         std::all_of(record.processes.begin(), record.processes.end(), [](const ProcessResult& one) {
           return one.identity && !one.identity->same_build.empty();
         });
}

// The number of processes does not change what each of them does.
bool sampled_alike(const CaseRecord& before, const CaseRecord& after) {
  Sampling sampling = before.sampling;
  sampling.processes = after.sampling.processes;
  return sampling == after.sampling;
}

// By what both sides found in files. The baseline's suite has to ask for it, and measurements outweigh it.
std::optional<ProofGap> files_gap(const CaseRecord& baseline, const CaseRecord& current,
                                  const std::vector<Difference>& machines) {
  if (!baseline.program || !baseline.program->is_observed()) return gap(ProofGapCode::files_unasked);
  const AgreedDigest before = agreed_digest(baseline), after = agreed_digest(current);
  for (const auto& [side, agreed] : {std::pair("baseline", &before), std::pair("current", &after)})
    if (auto found = digest_gap(*agreed, side)) {
      found->why.figures.emplace_back("files", 1);
      return found;
    }
  if (auto found = inputs_gap(baseline, current)) return found;
  if (!machines.empty()) return ProofGap{{ProofGapCode::other_machine}, {}, machines};
  if (const auto older = older_rules(before.digest, after.digest))
    return gap(ProofGapCode::other_rules, {{"side", *older}});
  if (before.digest != after.digest) return gap(ProofGapCode::other_files, file_change(baseline, current));
  if (current.outcome != Outcome::looked_at) return gap(ProofGapCode::measured);
  return {};
}

}  // namespace

bool was_looked_at(const CaseRecord& record) {
  return std::any_of(record.processes.begin(), record.processes.end(),
                     [](const ProcessResult& process) { return process.identity.has_value(); });
}

std::optional<ProofGap> proof_gap(const CaseRecord& baseline, const CaseRecord& current,
                                  const std::vector<Difference>& machines, const WordMatch* words) {
  if (current.program && current.program->is_observed()) return files_gap(baseline, current, machines);
  const AgreedDigest before = agreed_digest(baseline), after = agreed_digest(current);
  const bool other_frames = have_other_frames(baseline, current);
  if (words == nullptr && !other_frames) {
    if (auto found = digest_gap(before, "baseline")) return found;
    if (auto found = digest_gap(after, "current")) return found;
  }
  if (auto found = inputs_gap(baseline, current)) return found;
  if (!machines.empty()) return ProofGap{{ProofGapCode::other_machine}, {}, machines};
  if (words != nullptr && !words->same()) return gap(ProofGapCode::other_launches, changed_words(*words));
  if (words == nullptr)
    if (const auto older = older_rules(before.digest, after.digest))
      return gap(ProofGapCode::other_rules, {{"side", *older}});
  if (words == nullptr && (other_frames || before.digest != after.digest))
    return gap(ProofGapCode::other_launches, launch_change(baseline, current));
  return host_bytes_gap(baseline, current);
}

bool proven_by_build(const std::optional<ProofGap>& gap, const Record& baseline, const CaseRecord& before,
                     const Record& current, const CaseRecord& after) {
  if (gap && !is_unread(gap->why.code)) return false;
  if (!was_taken_over(after) || before.program || after.program) return false;
  const bool right = before.outcome == Outcome::measured || before.outcome == Outcome::looked_at;
  if (!right || baseline.finished.empty()) return false;
  const BuildParts build = build_of(current, after);
  if (build.empty() || build != build_of(baseline, before)) return false;
  if (inputs_gap(before, after) || before.gpus != after.gpus || !sampled_alike(before, after)) return false;
  const auto then = baseline.machines.find(before.device), now = current.machines.find(after.device);
  return then != baseline.machines.end() && now != current.machines.end() &&
         in_same_state(then->second, now->second);
}

bool told_alike(const Series& baseline, const Series& current) {
  if (baseline.unit != current.unit || baseline.direction != current.direction) return false;
  const auto told = [](const ProcessSamples& one) {
    std::vector<double> values;
    for (const Placement& placement : one.placements)
      values.insert(values.end(), placement.samples.begin(), placement.samples.end());
    return values;
  };
  int common = 0;
  for (const ProcessSamples& before : baseline.processes)
    for (const ProcessSamples& after : current.processes) {
      if (std::max(before.process, 1) != std::max(after.process, 1)) continue;
      // A pin tells all samples of a process only where they are the same.
      if (before.figures || after.figures) {
        const Series one{"", "", Direction::lower_is_better, {before}};
        const Series other{"", "", Direction::lower_is_better, {after}};
        const std::optional<double> value = constant_of(one);
        if (!value || value != constant_of(other) || sample_count(before) != sample_count(after))
          return false;
        ++common;
        continue;
      }
      const std::vector<double> values = told(before);
      if (values.empty() || values != told(after)) return false;
      ++common;
    }
  return common > 0;
}

bool bears_on_proof(const MachineField& field, std::string_view device) {
  if (field.name == "clock_lock") return false;  // affects times, but not code
  if (field.kind == FieldClass::block) return true;
  // The CPU's code runs under the operating system's kernel as the GPU's under its driver.
  if (!is_gpu_kind(device)) return field.name == "kernel";
  return std::find(libraries.begin(), libraries.end(), field.name) != libraries.end();
}

}  // namespace harness
