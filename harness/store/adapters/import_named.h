// Files of other tools by their names, with wildcards, as one record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/adapters/import_formats.h"

namespace harness {

// Whether a name stands for files of other tools: it has wildcards in the name of a file, an ending of
// theirs, or is a file that holds no record.
bool names_tool_files(const std::string& name);

// The files that a name with wildcards stands for, by name; the name itself where it has none. An error where
// no file matches.
Result<std::vector<std::string>> files_named(const std::string& name);

// The record of all files, in their order. `added` is called with the import behind each file.
Checked<Record> import_named(const std::vector<std::string>& names, const ImportOptions& options,
                             const std::function<void(const Import&)>& added = {});

}  // namespace harness
