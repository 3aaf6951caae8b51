// Filters over names: a wildcard that covers the whole name, or a regular expression between slashes that is
// found anywhere in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// "linear_gelu/*" or "/m=(512|1024)$/" (ECMAScript). An invalid regular expression matches nothing.
bool filter_match(std::string_view filter, std::string_view name);

// The parts of a matching name that `*` stands for, or the groups of the regular expression.
std::optional<std::vector<std::string>> filter_parts(std::string_view filter, std::string_view name);

// Whether a name passes all filters together: it matches none that begins with '!', and one of the others
// where there are any.
bool passes_filters(const std::vector<std::string>& filters, std::string_view name);

// Whether the filter is a regular expression.
bool is_regular_expression(std::string_view filter);

// An error when a regular expression cannot be read.
Status check_filter(std::string_view filter);

}  // namespace harness
