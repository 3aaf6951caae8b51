// Reads `sampling:` and `gate:` by walking the fields of the structs (model/plan_fields.h), so that a new
// field needs no code here.
#pragma once

#include <string>

#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

// The settings of a map that may have both keys. Values that the schema has rejected are left out.
Overrides read_overrides(const YamlValue& map, const std::string& file, ErrorList& errors);

// The settings that stand beside these two in a program: `timeout`.
Overrides read_program_settings(const YamlValue& program, const std::string& file, ErrorList& errors);

}  // namespace harness
