#include "harness/model/results/machine_differences.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace harness {
namespace {

struct FieldPair {
  const MachineField* baseline = nullptr;
  const MachineField* current = nullptr;
};

std::optional<std::string> value_of(const MachineField* field) {
  return field == nullptr ? std::nullopt : std::optional(field->value);
}

}  // namespace

Difference difference_of(std::string name, const std::string& baseline, const std::string& current) {
  const auto known = [](const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
  };
  return {std::move(name), known(baseline), known(current)};
}

std::vector<Difference> differing_fields(const Machine& baseline, const Machine& current,
                                         const std::function<bool(const MachineField&)>& wanted) {
  std::map<std::string_view, FieldPair> pairs;
  for (const MachineField& field : baseline.fields) pairs[field.name].baseline = &field;
  for (const MachineField& field : current.fields) pairs[field.name].current = &field;
  std::vector<Difference> found;
  for (const auto& [name, pair] : pairs) {
    const MachineField* gravest = pair.baseline != nullptr ? pair.baseline : pair.current;
    if (pair.current != nullptr && pair.current->kind < gravest->kind) gravest = pair.current;
    if (!wanted(*gravest)) continue;
    if (pair.baseline != nullptr && pair.current != nullptr && pair.baseline->value == pair.current->value)
      continue;
    found.push_back({std::string(name), value_of(pair.baseline), value_of(pair.current)});
  }
  return found;
}

std::vector<Difference> blocking_differences(const Machine& baseline, const Machine& current) {
  std::vector<Difference> found = differing_fields(
      baseline, current, [](const MachineField& field) { return field.kind == FieldClass::block; });
  if (baseline.machine_class != current.machine_class)
    found.insert(found.begin(),
                 difference_of("machine_class", baseline.machine_class, current.machine_class));
  return found;
}

}  // namespace harness
