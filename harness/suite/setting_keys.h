// The keys of `sampling:` and `gate:` as the schema of suites tells them. They come from the lists of fields
// in model/plan_fields.h: a field with documentation is a key.
#pragma once

#include <string>

#include "harness/schema/field_texts.h"

namespace harness {

// "a duration with its unit, such as `60s`", for "expected ..., found ...".
std::string expectation(const FieldText& key);

// The schema of suites: the text of suite.schema.json with the keys of settings as the fields have them.
const std::string& suite_schema();

}  // namespace harness
