// The words that this program was started with, for reports that say how they were made.
#pragma once

#include <string>
#include <vector>

namespace harness {

class CommandLine {
 public:
  // The program's own name is left out, and so is a password in a store's URL.
  CommandLine(int argc, const char* const* argv);

  // "harness run suites/smoke.yaml", quoted for a shell.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> words_;
};

}  // namespace harness
