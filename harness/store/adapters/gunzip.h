// Files that gzip packed.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace harness {

bool is_gzip(std::string_view bytes);

// The unpacked bytes, of which there may be 4 GiB.
Result<std::string> gunzip(std::string_view bytes, const std::string& file);

}  // namespace harness
