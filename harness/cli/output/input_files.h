// The files that a command reads: records, suite, waivers, store. No output may replace one, however the two
// names are written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/options/suite_options.h"

namespace harness {

// A file's name without symbolic links, absolute, however it was written. A link to a file that is not there
// yet is followed as well.
std::filesystem::path identity_of(const std::string& path);

// The file of a store in SQLite and those that SQLite keeps beside it, there or not yet. Other stores: none.
std::vector<std::string> store_files(const std::string& url);

// The suite, the plugins of the command line and the script of a scripted device.
std::vector<std::string> plan_files(const SuiteOptions& options);

// One list of several.
std::vector<std::string> all_of(const std::vector<std::vector<std::string>>& lists);

// An error when the output `path` of `option` would replace one of `inputs`, also through a symbolic or a
// hard link. "" and "-" are no files; nor is an input that is a revision or "".
Status check_spares(const std::string& option, const std::string& path,
                    const std::vector<std::string>& inputs);

}  // namespace harness
