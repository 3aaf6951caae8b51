// The machine code of both builds in a comparison: it tells why kernels got slower or faster.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/results/comparison.h"

namespace CLI {
class App;
}

namespace harness {

// Folders with finished builds; both or none.
struct BuildFolders {
  std::filesystem::path baseline;
  std::filesystem::path current;

  [[nodiscard]] bool empty() const { return baseline.empty() || current.empty() || baseline == current; }
};

// Finds the causes of the rows that changed again, with their kernels' code. A kernel that is in no file of a
// build keeps the causes that the records tell.
void add_code(const std::vector<ComparisonRow*>& rows, const BuildFolders& builds);
void add_code(Comparison& comparison, const BuildFolders& builds);

// --baseline-build and --current-build, of records that were measured before.
struct BuildFolderOptions {
  std::string baseline, current;

  void add_to(CLI::App& command);
  // An error for a folder that is not there.
  [[nodiscard]] Result<BuildFolders> folders() const;
};

}  // namespace harness
