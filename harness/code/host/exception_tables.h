// Tables of what handles the exceptions of functions of the host, which .eh_frame names. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/code/host/host_image.h"

namespace harness {

// The table of one function, free of addresses.
struct ExceptionTable {
  std::string content;
  std::vector<std::uint64_t> types;  // addresses of what it catches; 0: everything
};

// By the address of the function, or of a part of one. An error where something is not understood.
Result<std::map<std::uint64_t, ExceptionTable>> exception_tables(const HostImage& image);

}  // namespace harness
