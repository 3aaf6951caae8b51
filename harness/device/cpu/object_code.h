// The machine code that a CPU variant can reach, as a hash: of the file that holds the variant, and of the
// shared libraries that this file needs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace harness {

// The hash of the program or shared library that holds `address`: all loaded sections. Tables of the dynamic
// linker that name folders count by the symbols that they bind, libraries by their build ids. Comments and
// line numbers do not count. An Error says which file cannot be read.
Result<std::string> object_code_hash(const void* address);

// The first address of the file that holds `address`; the same for all of the file. Null where none does.
const void* object_of(const void* address);

// The part of it that a file's content tells. Pure.
Result<std::string> loaded_sections_hash(std::span<const std::byte> image);

}  // namespace harness
