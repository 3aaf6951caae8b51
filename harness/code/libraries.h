// The libraries that a file needs, and those that these need, as the dynamic linker finds them. Reads files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace harness {

// By name; "" where it is not here. The driver's own libraries belong to the machine and are left out.
using Libraries = std::map<std::string, std::filesystem::path>;
Libraries libraries_of(const std::filesystem::path& file);

// The content of a library, as the identity of calls on a CPU has it: its build id, else a hash of its file.
std::string identity_of_library(const std::filesystem::path& file);

}  // namespace harness
