// --set: values that an axis takes instead of the suite's.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/suite/suite.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

struct AxisValues {
  std::string text;  // as written: "m=512,1024"
  std::string name;
  std::vector<sdk::Value> values;  // at least one
};

// Reads "m=512,1024". A value is of the kind that YAML would give it.
Result<AxisValues> parse_axis_values(const std::string& text);

// Replaces the axis wherever the suite gives it values: in `axes`, `zip`, `include` and those of a kind of
// device. Overrides of values that are gone are dropped. An error where the suite has no such axis.
void set_axes(Suite& suite, const std::vector<AxisValues>& axes, ErrorList& errors);

}  // namespace harness
