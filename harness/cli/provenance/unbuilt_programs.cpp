#include "harness/cli/provenance/unbuilt_programs.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "harness/cli/provenance/module_sources.h"
#include "harness/cli/provenance/tool.h"
#include "harness/store/git.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

// The hashes of a record's programs, by name.
std::map<std::string, std::string> hashes_by_program(const Record& record) {
  std::map<std::string, std::string> all;
  for (const CaseRecord& one : record.cases)
    if (one.program && !one.program->built.empty()) all[one.program->name] = one.program->built;
  return all;
}

}  // namespace

std::string hash_of_built(const Program& program) {
  if (!program.build.empty()) return {};
  const std::optional<fs::path> root = repository_root(program.folder);
  if (!root) return {};
  std::set<fs::path> files;
  std::error_code code;
  const fs::path top = fs::weakly_canonical(*root, code);
  for (const std::string& word : program.command) {
    const fs::path file = fs::weakly_canonical(fs::path(program.folder) / word, code);
    const fs::path below = file.lexically_relative(top);
    if (!fs::is_regular_file(file, code) || below.empty() || *below.begin() == "..") continue;
    if (tracked_files(*root, {":(literal)" + below.string()}).empty()) files.insert(file);
  }
  return files.empty() ? std::string() : identity_of_files({files.begin(), files.end()});
}

std::vector<std::string> unbuilt_programs(const Record& baseline, const Record& current) {
  const std::string &before = baseline.revision.commit, &after = current.revision.commit;
  if (before.empty() || after.empty() || before == after) return {};
  const std::map<std::string, std::string> old = hashes_by_program(baseline);
  std::vector<std::string> names;
  for (const auto& [name, hash] : hashes_by_program(current))
    if (const auto found = old.find(name); found != old.end() && found->second == hash) names.push_back(name);
  if (names.empty()) return names;
  const std::optional<fs::path> root = repository_root(".");
  const std::string sources = root ? compiled_sources_of(*root, after) : std::string();
  if (sources.empty()) return {};
  const std::string others = compiled_sources_of(*root, before);
  return others.empty() || others == sources ? std::vector<std::string>() : names;
}

}  // namespace harness
