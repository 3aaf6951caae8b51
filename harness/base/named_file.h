// A file that a user names: one that is not there is a slip in its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// Reads it, of at most `limit` bytes. A missing file is ErrorKind::usage; the advice names the file of that
// folder with one of the extensions whose name is most like it.
Result<std::string> read_named_file(const std::filesystem::path& path,
                                    const std::vector<std::string>& extensions,
                                    std::uintmax_t limit = std::uintmax_t{1} << 32);

}  // namespace harness
