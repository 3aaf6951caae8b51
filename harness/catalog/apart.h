// Checks that two builds whose modules are loaded in one process share neither state nor code of their own.
// Otherwise the times of one would be those of the other. Linux and ELF only.
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

// Call it when all modules are loaded. The error names what both builds share:
// - One file is loaded as a module of both.
// - A library below either root is loaded that is no module. The loader gives both builds the first library
//   of that name. A library of the program itself, which is among `of_program`, may be one that no module
//   needs, or the same file in both: it is shared as the system's libraries are.
// - Modules of both define a symbol that exists once in a process (STB_GNU_UNIQUE): static data of inline
//   functions and templates with default visibility. Symbols of the C++ library are alike in both, and do not
//   count.
Status check_apart(const LoadedBuild& one, const LoadedBuild& other,
                   const std::vector<std::string>& of_program = {});

// The paths of all libraries in this process. Before a module is loaded they are those of the program.
std::vector<std::string> loaded_libraries();

// The defined dynamic symbols of a library that exist once in a process, in order; empty when it is no ELF
// file of this machine's kind.
std::vector<std::string> unique_symbols(const std::filesystem::path& library);

}  // namespace harness
