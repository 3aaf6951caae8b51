// Checks that plug-ins of harness_add_module(), which is in the CMake package, were built from the sources of
// the commit under whose name they are measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// The identity of the sources that a loaded module was built from, edits included: a hash over all C, C++,
// CUDA and CMake files that git tracks in its repository. "" when it does not say: other build systems,
// plug-ins of sdk/plugin.h built by hand, files of Python.
std::string module_built_from(const std::string& module);

// The same identity of a commit of the repository at `root`; "" when git cannot tell.
std::string module_sources_of(const std::filesystem::path& root, const std::string& commit);

// An error when one of the loaded modules lies in the repository that holds `folder`, and was not built from
// the commit that is checked out there. With uncommitted changes the record is no commit's, and it is no
// error. A module without an identity is taken as it is.
Status check_modules_built_from_head(const std::filesystem::path& folder,
                                     const std::vector<std::string>& modules);

}  // namespace harness
