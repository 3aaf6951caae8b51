// The check of a YAML tree against a JSON Schema of this folder, by RapidJSON's SchemaValidator, with its
// complaints put in words and in places of the text.
#pragma once

#include <string>

#include "harness/suite/yaml/errors.h"
#include "harness/suite/yaml/yaml_value.h"

namespace harness {

// Adds an error for each value in the tree that the schema refuses, and marks it as rejected, so that a
// reader can go on with the rest. The words come from the schema: `errorMessage` says what a place expects
// (editors show it, too), and `title` names the whole.
void check_schema(YamlValue& root, const std::string& schema, const std::string& file, ErrorList& errors);

}  // namespace harness
