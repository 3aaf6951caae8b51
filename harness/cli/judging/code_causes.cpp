#include "harness/cli/judging/code_causes.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <utility>

#include "harness/base/text.h"
#include "harness/code/kernel_sides.h"
#include "harness/verdict/cause/find_causes.h"
#include "harness/verdict/read/kernels.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// The kernels of both sides that are not known to be equal.
std::set<KernelNames> open_kernels(const ComparisonRow& row) {
  std::set<KernelNames> names;
  for (const KernelSides& one : row.causes->evidence.kernels) {
    if (!one.baseline || !one.current || is_memory_operation(*one.current)) continue;
    const std::string &before = one.baseline->code, &after = one.current->code;
    if (before.empty() || after.empty() || before != after)
      names.emplace(one.baseline->name, one.current->name);
  }
  return names;
}

}  // namespace

void add_code(const std::vector<ComparisonRow*>& rows, const BuildFolders& builds) {
  if (builds.empty()) return;
  std::map<std::string, std::set<KernelNames>> wanted;  // by compute capability
  for (const ComparisonRow* row : rows)
    if (row->causes != nullptr) wanted[row->causes->evidence.compute_capability].merge(open_kernels(*row));
  std::map<std::pair<std::string, KernelNames>, CodeSides> found;
  for (const auto& [capability, names] : wanted) {
    if (capability.empty() || names.empty()) continue;
    for (CodeSides& one :
         kernel_sides(builds.baseline, builds.current, {names.begin(), names.end()}, capability))
      found.emplace(std::pair(capability, KernelNames{one.baseline_name, one.current_name}), std::move(one));
  }
  for (ComparisonRow* row : rows) {
    if (row->causes == nullptr) continue;
    std::vector<CodeSides> code;
    for (const KernelNames& names : open_kernels(*row))
      if (const auto one = found.find({row->causes->evidence.compute_capability, names});
          one != found.end() && !one->second.architecture.empty())
        code.push_back(one->second);
    if (!code.empty()) add_code(*row, std::move(code));
  }
}

void add_code(Comparison& comparison, const BuildFolders& builds) {
  std::vector<ComparisonRow*> rows;
  for (ComparisonRow& row : comparison.rows) rows.push_back(&row);
  add_code(rows, builds);
}

void BuildFolderOptions::add_to(CLI::App& command) {
  CLI::Option* const before =
      command
          .add_option("--baseline-build", baseline,
                      "folder with the build that the baseline measured: its machine code tells why kernels "
                      "changed")
          ->type_name("DIR");
  CLI::Option* const after =
      command.add_option("--current-build", current, "the same of the current side; give both or neither")
          ->type_name("DIR")
          ->needs(before);
  before->needs(after);
}

Result<BuildFolders> BuildFolderOptions::folders() const {
  for (const auto& [option, folder] :
       {std::pair("--baseline-build", &baseline), std::pair("--current-build", &current)}) {
    std::error_code code;
    if (!folder->empty() && !fs::is_directory(*folder, code))
      return fail(ErrorKind::usage, fmt::format("{}: {} is no folder", option, printable(*folder)),
                  "name folders with finished builds");
  }
  return BuildFolders{baseline, current};
}

}  // namespace harness
