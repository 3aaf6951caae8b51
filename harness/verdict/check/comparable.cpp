#include "harness/verdict/check/comparable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::string_view known_estimator = "trimmed_log_mean";

struct FieldPair {
  const MachineField* baseline = nullptr;
  const MachineField* current = nullptr;
};

std::string value_of(const MachineField* field) {
  return field == nullptr ? "(not recorded)" : field->value.empty() ? "(empty)" : field->value;
}

// "driver: 580.1 -> 580.2" for every field of class `kind` on either side whose values differ, by name.
std::vector<std::string> differing(const Machine& baseline, const Machine& current, FieldClass kind) {
  std::map<std::string_view, FieldPair> pairs;
  for (const MachineField& field : baseline.fields) pairs[field.name].baseline = &field;
  for (const MachineField& field : current.fields) pairs[field.name].current = &field;
  std::vector<std::string> found;
  for (const auto& [name, pair] : pairs) {
    // A field that the sides class differently is told once, by the graver class.
    FieldClass gravest = FieldClass::info;
    for (const MachineField* field : {pair.baseline, pair.current})
      if (field != nullptr) gravest = std::min(gravest, field->kind);
    if (gravest != kind) continue;
    if (pair.baseline != nullptr && pair.current != nullptr && pair.baseline->value == pair.current->value)
      continue;
    found.push_back(fmt::format("{}: {} -> {}", name, value_of(pair.baseline), value_of(pair.current)));
  }
  return found;
}

const Machine* machine_of(const Record& record, const std::string& device) {
  const auto found = record.machines.find(device);
  return found == record.machines.end() ? nullptr : &found->second;
}

std::string either(const std::string& value) {
  return value.empty() ? "(not recorded)" : value;
}

}  // namespace

MachineMatch match_machines(const Record& baseline, const Record& current, const std::string& device,
                            const Policy& policy) {
  MachineMatch match;
  const Machine* before = machine_of(baseline, device);
  const Machine* after = machine_of(current, device);
  if (before == nullptr && after == nullptr) return match;  // an import that names no machine
  if (before == nullptr || after == nullptr) {
    match.obstacle = fmt::format("the {} record does not say on which machine it measured device `{}`",
                                 before == nullptr ? "baseline" : "current", device);
    match.advice = "name the machine on both sides, or on neither";
    return match;
  }
  match.differences = differing(*before, *after, FieldClass::warn);
  match.information = differing(*before, *after, FieldClass::info);
  std::vector<std::string> blocking = differing(*before, *after, FieldClass::block);
  if (before->machine_class != after->machine_class)
    blocking.insert(blocking.begin(), fmt::format("machine class: {} -> {}", either(before->machine_class),
                                                  either(after->machine_class)));
  if (!blocking.empty()) {
    match.obstacle = "measured on machines that must not be compared (" + join(blocking, "; ") + ")";
    match.advice = "measure the baseline again on the machine of the current side";
    return match;
  }
  if (before->device_uuid == after->device_uuid) return match;
  if (policy.allow_other_device) {
    match.other_device = true;
    return match;
  }
  match.obstacle = fmt::format("measured on another device of the same model (device: {} -> {})",
                               either(before->device_uuid), either(after->device_uuid));
  match.advice = fmt::format(
      "measure both sides on one device; or pass --allow-other-device, which adds the spread between devices "
      "({:.2f} % a side) and hides smaller changes",
      policy.device_sd * 100);
  return match;
}

std::string sampling_obstacle(const CaseRecord& baseline, const CaseRecord& current) {
  if (baseline.device != current.device)
    return fmt::format("measured on device `{}` before and on `{}` now", baseline.device, current.device);
  if (current.device == "import") return {};  // another tool sampled; its settings are not known
  const Sampling &before = baseline.sampling, &after = current.sampling;
  std::vector<std::string> found;
  const auto note = [&](std::string_view name, const auto& one, const auto& other) {
    if (one != other) found.push_back(fmt::format("{}: {} -> {}", name, one, other));
  };
  note("timing", name_of(before.timing), name_of(after.timing));
  note("batch_nodes", fmt::format("[{}]", fmt::join(before.batch_nodes, ", ")),
       fmt::format("[{}]", fmt::join(after.batch_nodes, ", ")));
  note("cache", name_of(before.cache), name_of(after.cache));
  note("placements", before.placements, after.placements);
  note("samples", before.samples, after.samples);
  note("width", before.width, after.width);
  note("warmup", before.warmup, after.warmup);
  note("preheat", before.preheat, after.preheat);
  return found.empty() ? std::string() : "sampled differently (" + join(found, "; ") + ")";
}

std::string series_obstacle(const Series& baseline, const Series& current) {
  if (baseline.unit != current.unit)
    return fmt::format("the unit changed: {} -> {}", either(baseline.unit), either(current.unit));
  if (baseline.direction != current.direction)
    return fmt::format("which direction is better changed: {} -> {}", name_of(baseline.direction),
                       name_of(current.direction));
  return {};
}

std::optional<Pairing::Kind> pairing_of(const Record& baseline, const Record& current) {
  if (!baseline.pairing || baseline.pairing != current.pairing) return std::nullopt;
  return current.pairing->kind;
}

bool share_session(const Record& baseline, const Record& current) {
  if (baseline.session.empty() || baseline.session != current.session) return false;
  return std::all_of(current.machines.begin(), current.machines.end(), [&](const auto& machine) {
    const Machine* before = machine_of(baseline, machine.first);
    return before != nullptr && before->device_uuid == machine.second.device_uuid;
  });
}

std::string pairing_obstacle(const Record& baseline, const Record& current) {
  if (pairing_of(baseline, current)) return {};
  for (const Record* one : {&baseline, &current})
    if (one->pairing && one->pairing->kind == Pairing::Kind::process)
      return fmt::format("the {} record was measured in the same processes as another build (A/B run)",
                         one == &baseline ? "baseline" : "current");
  return {};
}

std::string estimator_obstacle(const Record& baseline, const Record& current) {
  if (baseline.estimator != current.estimator)
    return fmt::format("the estimator changed: {} -> {}", either(baseline.estimator),
                       either(current.estimator));
  if (current.estimator != known_estimator)
    return fmt::format("this version does not know the estimator `{}`", current.estimator);
  return {};
}

}  // namespace harness
