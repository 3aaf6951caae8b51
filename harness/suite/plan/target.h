// Target: what the names of a group refer to in the catalog, looked up and checked once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// Points into the catalog, which outlives it.
struct Target {
  const sdk::Workload* workload = nullptr;
  std::vector<sdk::ParamSpec> specs;
  std::vector<sdk::ParamSpec> modes;  // axes of measuring (model/sampling_modes.h) that no parameter hides
  std::vector<const sdk::Variant*> variants;  // as the group lists them

  // A parameter or a mode.
  [[nodiscard]] const sdk::ParamSpec* find(const std::string& name) const;
};

// A reference is the name of a variant or, with slashes, a whole case id (`m=*` in it: the point's m).
bool is_variant_name(const At<std::string>& reference);

// std::nullopt, with errors, when a workload, variant, reference or metric is unknown.
std::optional<Target> find_target(const CaseGroup& group, const Catalog& catalog, ErrorList& errors);

}  // namespace harness
