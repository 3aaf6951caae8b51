// The machine code that a CPU variant can reach, as a hash: of the file that holds the variant, of the shared
// libraries that this file needs, and of the variables of the environment that these files name.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace harness {

// The hash of the program or shared library that holds `address`: all loaded sections. Tables of the dynamic
// linker that name folders count by the symbols that they bind, libraries by their loaded sections. Comments
// and line numbers do not count. A variable counts by its value where it is set and a file other than this
// program and the C and C++ libraries has its name. Not covered: libraries and files that the code opens
// itself. An Error says which file cannot be read.
Result<std::string> object_code_hash(const void* address);

// The first address of the file that holds `address`; the same for all of the file. Null where none does.
const void* object_of(const void* address);

// The part of it that a file's content tells. Pure.
Result<std::string> loaded_sections_hash(std::span<const std::byte> image);

// The variables whose names are among the constant texts of a file. Pure.
std::map<std::string, std::string> variables_named_in(std::span<const std::byte> image,
                                                      std::map<std::string, std::string> variables);

}  // namespace harness
