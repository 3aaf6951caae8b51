// The linked files of a build's folder. Reads files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace harness {

struct BuildFile {
  std::string name;          // as seen from the folder
  bool is_library = false;   // a shared object
  bool has_kernels = false;  // perhaps
};

// Libraries, and programs that may hold device code, sorted by name. The objects that they are linked from
// say nothing more. Links to files are left out.
std::vector<BuildFile> files_of_build(const std::filesystem::path& root);

}  // namespace harness
