// Checks that plug-ins of harness_add_module(), which is in the CMake package, were built from the sources of
// the commit under whose name they are measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

// The sources that a loaded module was built from, as it says.
struct ModuleSources {
  std::string identity;  // a hash over all C, C++, CUDA and CMake files that git tracks, edits included; "":
                         // git tracked none, or there was no git
  std::string root;      // the top folder of the repository that holds them, at the time of the build
};
// std::nullopt when the module says nothing: other build systems, plug-ins of sdk/plugin.h built by hand,
// files of Python.
std::optional<ModuleSources> module_built_from(const std::string& module);

// The same identity of a commit of the repository at `root`; "" without such files, and when git cannot tell.
std::string module_sources_of(const std::filesystem::path& root, const std::string& commit);

// Likewise of the files of all compiled languages.
std::string compiled_sources_of(const std::filesystem::path& root, const std::string& commit);

// An error when a loaded module has its sources in the repository that holds `folder`, and was not built from
// the commit that is checked out there. Sources in a repository inside that one, such as a submodule, are
// compared with the commit that is checked out in theirs. With uncommitted changes the record is no commit's,
// and it is no error. A module that was built before git tracked its sources counts to the repository that
// holds its file. A compiled module that says nothing is taken as it is, with a line on standard error where
// the commit has sources.
Status check_modules_built_from_head(const std::filesystem::path& folder,
                                     const std::vector<std::string>& modules);

}  // namespace harness
