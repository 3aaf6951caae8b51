// Checks that plug-ins of harness_add_module(), which is in the CMake package, were built from the sources of
// the commit under whose name they are measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// The sources that a loaded module was built from, as it says. The identity is "" when it does not say: other
// build systems, plug-ins of sdk/plugin.h built by hand, files of Python, sources that git does not track.
struct ModuleSources {
  std::string identity;  // a hash over all C, C++, CUDA and CMake files that git tracks, edits included
  std::string root;      // the top folder of the repository that holds them, at the time of the build
};
ModuleSources module_built_from(const std::string& module);

// The same identity of a commit of the repository at `root`; "" without such files, and when git cannot tell.
std::string module_sources_of(const std::filesystem::path& root, const std::string& commit);

// An error when a loaded module has its sources in the repository that holds `folder`, and was not built from
// the commit that is checked out there. Sources in a repository inside that one, such as a submodule, are
// compared with the commit that is checked out in theirs. With uncommitted changes the record is no commit's,
// and it is no error. A module without an identity is taken as it is.
Status check_modules_built_from_head(const std::filesystem::path& folder,
                                     const std::vector<std::string>& modules);

}  // namespace harness
