// The files of the source tree, build folders and hidden folders left out.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace harness::tree {

struct SourceFile {
  std::string path;  // from the top of the tree, with '/'
  std::string text;
};

// The files with one of the extensions below one of the folders ("" is the top).
std::vector<SourceFile> files_below(const std::vector<std::string>& folders,
                                    const std::vector<std::string_view>& extensions);

// Every file and folder, from the top of the tree.
std::set<std::string> all_paths();

// Every folder, from the top of the tree.
std::vector<std::string> all_folders();

}  // namespace harness::tree
