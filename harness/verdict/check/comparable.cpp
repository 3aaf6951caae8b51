#include "harness/verdict/check/comparable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "harness/model/device_kinds.h"
#include "harness/model/plan_fields.h"
#include "harness/model/results/machine_differences.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/check/timed_inputs.h"
#include "harness/verdict/check/tool_cases.h"

namespace harness {
namespace {

constexpr std::string_view known_estimator = "trimmed_log_mean";

// Fields of Sampling in which two comparable cases may differ: numbers of replicates, limits of time and the
// seed. Any other field changes what is measured. same_inputs() compares the inputs.
constexpr std::array<std::string_view, 12> free_settings{
    "processes",    "samples", "min_samples",   "width_samples", "steady", "max_time",
    "preheat_most", "timeout", "gate_deadline", "seed",          "inputs", "inputs_hash"};

std::vector<Difference> differing(const Machine& baseline, const Machine& current, FieldClass kind) {
  return differing_fields(baseline, current, [&](const MachineField& field) { return field.kind == kind; });
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (NamedEnum<Value>)
    return std::string(name_of(value));
  else
    return fmt::format("{}", value);
}

const Machine* machine_of(const Record& record, const std::string& device) {
  const auto found = record.machines.find(device);
  return found == record.machines.end() ? nullptr : &found->second;
}

}  // namespace

MachineMatch match_machines(const Record& baseline, const Record& current, const std::string& device,
                            const Policy& policy) {
  MachineMatch match;
  const Machine* before = machine_of(baseline, device);
  const Machine* after = machine_of(current, device);
  if (before == nullptr && after == nullptr) return match;  // an import that names no machine
  if (before == nullptr || after == nullptr) {
    const char* side = before == nullptr ? "baseline" : "current";
    match.obstacle = Obstacle{{ReasonCode::machine_unnamed, {{"side", side}, {"device", device}}}};
    match.against_proof = {{"machine",
                            before == nullptr ? std::nullopt : std::optional(before->machine_class),
                            after == nullptr ? std::nullopt : std::optional(after->machine_class)}};
    return match;
  }
  match.differences = differing(*before, *after, FieldClass::warn);
  match.information = differing(*before, *after, FieldClass::info);
  match.against_proof = differing_fields(
      *before, *after, [&](const MachineField& field) { return bears_on_proof(field, device); });
  if (before->device_uuid != after->device_uuid) match.uuids = {before->device_uuid, after->device_uuid};
  std::vector<Difference> blocking = blocking_differences(*before, *after);
  if (before->machine_class != after->machine_class)
    match.against_proof.insert(match.against_proof.begin(), blocking.front());
  if (!blocking.empty()) {
    match.obstacle = Obstacle{{ReasonCode::machines_differ}, std::move(blocking)};
    return match;
  }
  if (before->device_uuid == after->device_uuid) return match;
  if (policy.allow_other_device)
    match.other_device = true;
  else
    match.obstacle = Obstacle{{ReasonCode::other_device, {{"device_sd", policy.device_sd}}},
                              {difference_of("device", before->device_uuid, after->device_uuid)}};
  return match;
}

std::optional<Obstacle> sampling_obstacle(const CaseRecord& baseline, const CaseRecord& current) {
  if (baseline.device != current.device)
    return Obstacle{{ReasonCode::device_kind_differs},
                    {difference_of("device", baseline.device, current.device)}};
  if (current.device == import_device) return {};  // another tool sampled; its settings are not known
  const Sampling &before = baseline.sampling, &after = current.sampling;
  std::vector<Difference> found;
  for_each_field<Sampling>([&](const auto& field) {
    if (std::find(free_settings.begin(), free_settings.end(), field.name) != free_settings.end()) return;
    const auto &one = before.*field.member, &other = after.*field.member;
    if (one != other) found.push_back({std::string(field.name), text_of(one), text_of(other)});
  });
  if (!same_inputs(before, after)) found.push_back({"inputs", inputs_text(before), inputs_text(after)});
  if (found.empty()) return {};
  return Obstacle{{ReasonCode::sampling_differs}, std::move(found)};
}

std::optional<Obstacle> parameters_obstacle(const CaseRecord& baseline, const CaseRecord& current) {
  std::vector<Difference> found = differing_parameters(baseline, current);
  if (found.empty()) return {};
  return Obstacle{{ReasonCode::parameters_differ}, std::move(found)};
}

std::optional<Obstacle> series_obstacle(const Series& baseline, const Series& current) {
  if (baseline.unit != current.unit)
    return Obstacle{{ReasonCode::unit_differs}, {difference_of("unit", baseline.unit, current.unit)}};
  if (baseline.direction != current.direction)
    return Obstacle{{ReasonCode::direction_differs},
                    {difference_of("direction", std::string(name_of(baseline.direction)),
                                   std::string(name_of(current.direction)))}};
  if (baseline.informs != current.informs)
    return Obstacle{
        {ReasonCode::direction_differs},
        {difference_of("direction", baseline.informs ? "" : std::string(name_of(baseline.direction)),
                       current.informs ? "" : std::string(name_of(current.direction)))}};
  return {};
}

std::optional<Pairing::Kind> pairing_of(const Record& baseline, const Record& current) {
  if (!baseline.pairing || !current.pairing || baseline.pairing->id != current.pairing->id ||
      baseline.pairing->kind != current.pairing->kind)
    return std::nullopt;
  return current.pairing->kind;
}

bool share_session(const Record& baseline, const Record& current) {
  if (baseline.session.empty() || baseline.session != current.session) return false;
  return std::all_of(current.machines.begin(), current.machines.end(), [&](const auto& machine) {
    const Machine* before = machine_of(baseline, machine.first);
    return before != nullptr && before->device_uuid == machine.second.device_uuid;
  });
}

std::optional<Obstacle> pairing_obstacle(const Record& baseline, const Record& current) {
  if (pairing_of(baseline, current)) return {};
  for (const Record* one : {&baseline, &current})
    if (one->pairing && one->pairing->kind == Pairing::Kind::process)
      return Obstacle{{ReasonCode::other_pairing, {{"side", one == &baseline ? "baseline" : "current"}}}};
  return {};
}

std::optional<Obstacle> estimator_obstacle(const Record& baseline, const Record& current) {
  if (baseline.estimator != current.estimator)
    return Obstacle{{ReasonCode::estimator_differs},
                    {difference_of("estimator", baseline.estimator, current.estimator)}};
  if (current.estimator != known_estimator)
    return Obstacle{{ReasonCode::estimator_unknown, {{"estimator", current.estimator}}}};
  return {};
}

std::optional<Obstacle> gate_obstacle(double margin, double alpha) {
  if (!(margin >= 0 && std::isfinite(margin))) return Obstacle{{ReasonCode::bad_margin}};
  if (!(alpha > 0 && alpha < 0.5)) return Obstacle{{ReasonCode::bad_alpha}};
  return {};
}

std::optional<Obstacle> looks_obstacle(const std::vector<int>& looks) {
  if (looks.size() > most_looks)
    return Obstacle{{ReasonCode::too_many_looks, {{"looks", looks.size()}, {"most", most_looks}}}};
  if (std::adjacent_find(looks.begin(), looks.end(), std::greater_equal<>()) != looks.end())
    return Obstacle{{ReasonCode::unordered_looks}};
  if (!looks.empty() && looks.front() < 2) return Obstacle{{ReasonCode::tiny_look}};
  return {};
}

}  // namespace harness
