// Result files that no format here reads, named so that the user knows what to do.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness {

// One error that says what a text is, as far as its beginning tells. `formats`: the names of those that are
// read.
Error not_read_here(std::string_view text, const std::string& file, const std::string& formats);

}  // namespace harness
