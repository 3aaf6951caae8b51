// The sources of this program. A program that was built before another commit was checked out must not
// measure under that commit's name.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"

namespace harness {

// The identity of the sources that this program was built from, edits included: a hash over the contents of
// CMakeLists.txt, cmake/, harness/ and kernels/ without documentation. "" when it was built without git. The
// build writes it (cmake/built_from.cmake).
const char* built_from();

// The same identity of a commit of the repository that holds `folder`; "" where that repository is not of the
// harness.
std::string sources_of(const std::filesystem::path& folder, const std::string& commit);

// An error when this program was not built from the commit that is checked out in `folder`. If the program
// lacks uncommitted changes of the sources, standard error gets a warning. A repository that is not of the
// harness, or none, is no error.
Status check_built_from_head(const std::filesystem::path& folder);

}  // namespace harness
