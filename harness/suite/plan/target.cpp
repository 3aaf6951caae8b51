#include "harness/suite/plan/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"
#include "harness/suite/plan/metric_names.h"

namespace harness {
namespace {

// Where nothing is near and too many are known to be named, the command that lists them.
std::string or_list(std::string advice) {
  return advice.empty() ? "`harness list --workloads` lists workloads, their parameters and variants"
                        : advice;
}

// Null, with an error, when the workload has no such variant.
const sdk::Variant* find_variant(const CaseGroup& group, const At<std::string>& name, const Catalog& catalog,
                                 ErrorList& errors) {
  const sdk::Variant* found = catalog.variant(group.workload.value, name.value);
  if (found == nullptr)
    errors.add(name.where,
               fmt::format("unknown variant {} of workload {}", in_ticks(name.value),
                           in_ticks(group.workload.value)),
               or_list(suggestion(name.value, catalog.variant_names(group.workload.value))));
  return found;
}

bool lists(const CaseGroup& group, const std::string& variant) {
  return std::any_of(group.variants.begin(), group.variants.end(),
                     [&](const At<std::string>& name) { return name.value == variant; });
}

// A reference may be a variant that the group does not measure; resolve_references() finds its cases.
bool check_references(const CaseGroup& group, const Catalog& catalog, ErrorList& errors) {
  std::vector<const At<std::string>*> references;
  if (group.reference) references.push_back(&*group.reference);
  for (const auto& [device, points] : group.per_device)
    if (points.reference) references.push_back(&*points.reference);
  bool good = true;
  for (const At<std::string>* reference : references)
    if (is_variant_name(*reference) && !lists(group, reference->value))
      good = find_variant(group, *reference, catalog, errors) != nullptr && good;
  return good;
}

}  // namespace

const sdk::ParamSpec* Target::find(const std::string& name) const {
  for (const std::vector<sdk::ParamSpec>* known : {&specs, &modes})
    for (const sdk::ParamSpec& spec : *known)
      if (spec.name == name) return &spec;
  return nullptr;
}

bool is_variant_name(const At<std::string>& reference) {
  return reference.value.find('/') == std::string::npos;
}

std::optional<Target> find_target(const CaseGroup& group, const Catalog& catalog, ErrorList& errors) {
  Target target;
  target.workload = catalog.workload(group.workload.value);
  if (target.workload == nullptr) {
    const std::vector<std::string> known = catalog.workload_names();
    errors.add(group.workload.where, fmt::format("unknown workload {}", in_ticks(group.workload.value)),
               known.empty() ? "there are none; is a plugin missing in `modules`?"
                             : or_list(suggestion(group.workload.value, known)));
    return std::nullopt;
  }
  for (const At<std::string>& name : group.variants)
    if (const sdk::Variant* variant = find_variant(group, name, catalog, errors))
      target.variants.push_back(variant);
  bool good = target.variants.size() == group.variants.size();
  good = check_references(group, catalog, errors) && good;
  good = check_metrics(group, *target.workload, errors) && good;
  if (!good) return std::nullopt;
  target.specs = target.workload->params();
  for (const sdk::ParamSpec& mode : mode_axes())
    if (target.find(mode.name) == nullptr) target.modes.push_back(mode);
  return target;
}

}  // namespace harness
