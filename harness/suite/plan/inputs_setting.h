// The inputs that a suite states for its cases (Sampling::inputs): checked against the tensors of each case,
// and the file that they name found.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "harness/catalog/tensor_file.h"
#include "harness/model/plan.h"
#include "harness/suite/plan/target.h"
#include "harness/suite/yaml/errors.h"

namespace harness {

// The file that `inputs` names in the suite at `where`, relative to the suite's folder; absolute.
std::filesystem::path stated_file(const std::string& inputs, const Location& where);

// Where `inputs` of the baseline name a file that is still there with the same bytes: its path; else "".
std::string find_stated_file(const PlannedCase& planned, const Sampling& baseline);

// Reads each file once. One error for each place in the suite.
class StatedFiles {
 public:
  explicit StatedFiles(ErrorList& errors) : errors_(errors) {}

  // Completes the sampling of a case: the hash and the place of its file. `where`: of the key in the suite.
  void settle(Sampling& sampling, PlannedCase& planned, const Target& target, const Location& where);

 private:
  const TensorFile* load(const std::string& inputs, const Location& where);
  void wrong(const Location& where, const std::string& message, const std::string& advice);

  ErrorList& errors_;
  std::map<std::string, std::unique_ptr<TensorFile>> files_;  // by path; null: cannot be read
  std::set<std::pair<int, int>> told_;                        // lines and columns
};

}  // namespace harness
