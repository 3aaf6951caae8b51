// Are two builds apart, whose modules are loaded in one process? Where they share state or code, what was
// measured of one would be the other's. Linux and ELF only. Call it once all modules are loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"

namespace harness {

struct LoadedBuild {
  std::string root;                  // the folder that holds the build and all its own libraries
  std::vector<std::string> modules;  // loaded, absolute paths
};

// An error that says what is shared, when
// - one file is loaded as a module of both;
// - a library below either root is loaded that is no module: the loader gives both builds the first that was
//   found by its name;
// - modules of both define a symbol of the kind that exists once in a process whatever the visibility of its
//   library (STB_GNU_UNIQUE: static data of inline functions and templates with default visibility). Those of
//   the C++ library are alike in both and do not count.
Status check_apart(const LoadedBuild& one, const LoadedBuild& other);

// The defined dynamic symbols of a library that exist once in a process, in order; empty when it is no ELF
// file of this machine's kind.
std::vector<std::string> unique_symbols(const std::filesystem::path& library);

}  // namespace harness
