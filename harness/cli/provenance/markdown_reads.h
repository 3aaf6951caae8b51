// Markdown that somebody reads while a run measures. Committed Markdown is no part of a build (tool.h), so
// code that reads some is not known by its build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace harness {

// Watches the tracked Markdown files of the repository that holds the current folder, from the constructor
// on.
class MarkdownReads {
 public:
  MarkdownReads();
  ~MarkdownReads();
  MarkdownReads(const MarkdownReads&) = delete;
  MarkdownReads& operator=(const MarkdownReads&) = delete;

  // The files that were opened so far, each once; "(unknown)" where the system could not watch them.
  [[nodiscard]] std::vector<std::string> seen();

 private:
  int queue_ = -1;
  std::vector<std::pair<int, std::filesystem::path>> folders_;  // by watch
  std::vector<std::string> tracked_;                            // sorted
};

}  // namespace harness
