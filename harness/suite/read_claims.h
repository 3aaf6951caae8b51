// The claims of a suite file.
#pragma once

#include <string>
#include <vector>

#include "harness/model/claim.h"
#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

// `list`: the checked value of `claims`. Adds an error for each claim without a range, or with two.
std::vector<Claim> read_claims(const YamlValue& list, const std::string& file, ErrorList& errors);

}  // namespace harness
