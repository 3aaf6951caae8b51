// Finds benchmarks in a repository that a suite can measure as they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace harness {

// A program for a suite.
struct FoundProgram {
  std::string name;
  std::string what;                  // for people: "Google Benchmark"
  std::string where;                 // the file that tells of it; "" for a command that somebody gave
  std::vector<std::string> command;  // from the repository's top
  std::string build;                 // shell command, `true` where nothing is built or installed; "": unknown
  std::string reads;                 // format of its output; "": its wall time counts
  std::string build_folder;          // that CMake fills; "" without
  bool uses_gpu = false;
  bool any_runner = false;  // `make` or CMake makes it, and no file tells of a GPU
};

// Targets of CMake that link Google Benchmark or NVBench, and files of pytest with the fixture `benchmark`,
// by their tracked files. One program each.
std::vector<FoundProgram> find_benchmarks(const std::filesystem::path& root);

// A command of somebody's own. It is built by `make`, or by CMake, where its path is of the repository, which
// does not hold its file.
FoundProgram given_program(const std::filesystem::path& root, const std::vector<std::string>& command);

}  // namespace harness
