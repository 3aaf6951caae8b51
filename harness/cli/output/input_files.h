// The files that a command works from. No output may replace one: not the records that it compares, nor the
// suite, the waivers or the store, however the two names are written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cli/options/suite_options.h"

namespace harness {

// What a file is called whatever way it was written: absolute, without symbolic links, also those that lead
// to a file that is not there yet.
std::filesystem::path identity_of(const std::string& path);

// Of a store in SQLite: the file and those that SQLite keeps beside it, there or not yet. None otherwise.
std::vector<std::string> store_files(const std::string& url);

// The suite, the plugins of the command line and the script of a scripted device.
std::vector<std::string> plan_files(const SuiteOptions& options);

// One list of several.
std::vector<std::string> all_of(const std::vector<std::vector<std::string>>& lists);

// An error when what `option` writes to `path` would replace one of `inputs`, which may be reached by another
// name, a symbolic or a hard link. "" and "-" are no files; nor is an input that is a revision or "".
Status check_spares(const std::string& option, const std::string& path,
                    const std::vector<std::string>& inputs);

}  // namespace harness
