// Two builds: folders with the files of each, or one file each; and which results the differences between
// them can change. Reads files.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/code/compared_file.h"
#include "harness/model/code/code_change.h"
#include "harness/model/record.h"

namespace harness {

class BuildPair {
 public:
  // Both are folders, or both are files. An error where one is not there.
  static Result<BuildPair> open(const std::filesystem::path& before, const std::filesystem::path& after);

  // The kernels of all files that hold device code.
  void add_kernels(CodeChangeReport& report);
  // Judges each case of a record.
  void add_cases(const Record& record, CodeChangeReport& report);

 private:
  BuildPair(std::filesystem::path before, std::filesystem::path after)
      : before_(std::move(before)), after_(std::move(after)) {}

  // A file that both builds have, by its path in them; null where it cannot be compared, as `missing_` says.
  const ComparedFile* compared(const std::string& name);
  [[nodiscard]] std::filesystem::path path(const std::filesystem::path& root, const std::string& name) const;
  [[nodiscard]] CodeDifference judge(const CaseRecord& one);
  [[nodiscard]] CodeDifference judge_variant(const CaseRecord& one);
  [[nodiscard]] CodeDifference judge_program(const CaseRecord& one);
  [[nodiscard]] const std::optional<CodeDifference>& judge_harness();
  [[nodiscard]] std::optional<std::string> file_of_word(const std::string& word) const;

  std::filesystem::path before_, after_;
  bool single_ = false;             // one file each
  std::vector<std::string> names_;  // of files that may matter, sorted
  std::map<std::string, std::optional<ComparedFile>> files_;
  std::optional<std::optional<CodeDifference>> harness_ = {};
  std::map<std::array<std::string, 3>, CodeDifference> variants_;  // by workload, variant and device
};

}  // namespace harness
