// The place that an error names in front of its message: a member of a document.
#pragma once

#include <string>

#include "harness/base/result.h"

namespace harness {

// "cases[0].sampling.cache" of "cases[0].sampling.cache: is `hott`"; "" where the whole document is meant, or
// a column of its text.
inline std::string place_of(const Error& error) {
  const std::size_t end = error.message.find(": ");
  return end == std::string::npos || error.where.column > 0 ? "" : error.message.substr(0, end);
}

}  // namespace harness
