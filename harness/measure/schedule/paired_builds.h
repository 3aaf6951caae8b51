// The two builds whose modules a worker loads side by side, to measure both in one process.
#pragma once

#include <string>
#include <vector>

namespace harness {

// The modules of one build; all paths are absolute.
struct BuildModules {
  std::string root;                  // the folder that holds the build and all its own libraries
  std::string kernels;               // its libharness_kernels.so; "": the worker's own built-in kernels
  std::string cuda;                  // its libharness_cuda.so, or ""
  std::vector<std::string> plugins;  // in the order to load them

  bool operator==(const BuildModules&) const = default;
};

struct PairedBuilds {
  BuildModules baseline;
  BuildModules current;

  bool operator==(const PairedBuilds&) const = default;
};

// The sides by name, as scripts, protocols and devices write them.
inline constexpr const char* baseline_side = "baseline";
inline constexpr const char* current_side = "current";

}  // namespace harness
