#include "harness/cli/provenance/tool.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/open.h"
#include "harness/store/git.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

// "none" for a file that is not there. The content is read anew when the file was written since.
std::string hash_of_file(const fs::path& file) {
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(file, code);
  if (code) return "none";
  const std::string written =
      fmt::format("{} {}", bytes, fs::last_write_time(file, code).time_since_epoch().count());
  static std::map<fs::path, std::pair<std::string, std::string>> known;
  auto& [when, hash] = known[file];
  if (std::exchange(when, written) == written) return hash;
  const Result<std::string> content = read_file(file.string());
  return hash = content ? content_hash(*content) : std::string("none");
}

std::string hash_of_variables() {
  std::string text;
  for (const auto& [name, value] : environment::seen_by_workers()) text += name + "=" + value + '\0';
  return content_hash(text);
}

// "" where nothing tells the files.
std::string state_of_tree(const fs::path& folder, const Revision& measured) {
  const std::optional<fs::path> root = repository_root(folder);
  if (!root) return measured.commit.empty() || measured.dirty ? "" : "commit " + measured.commit;
  const Revision now = head_revision(*root);
  const Result<std::string> listed = files_of_commit(*root, now.commit, {"."});
  if (!listed || (now.dirty && now.changes.empty())) return {};
  std::string files;
  for (const std::string& line : split(*listed, '\n'))
    if (!line.ends_with(".md")) files += line + "\n";
  return content_hash(files + now.changes);
}

}  // namespace

std::string identity_of_files(const std::vector<fs::path>& files) {
  std::string content;
  for (const fs::path& path : files)
    if (const Result<std::string> text = read_file(path.string())) content += *text;
  return bulk_hash(content).substr(0, 10);
}

std::string this_tool() {
  const fs::path program = this_program(), folder = program.parent_path();
  static const std::string identity = identity_of_files(
      {program, folder / "libharness_cuda.so", folder.parent_path() / "lib" / "libharness_cuda.so"});
  return fmt::format("harness {} build {}", HARNESS_VERSION, identity);
}

std::string tool_of(const Plan& plan) {
  std::set<fs::path> files(plan.modules.begin(), plan.modules.end());
  for (const PlannedCase& one : plan.cases) {
    if (!one.program) continue;
    for (const std::string& word : one.program->command) files.insert(fs::path(one.program->folder) / word);
  }
  std::error_code code;
  std::erase_if(files, [&](const fs::path& file) { return !fs::is_regular_file(file, code); });
  if (files.empty()) return this_tool();
  return fmt::format("{} with {}", this_tool(), identity_of_files({files.begin(), files.end()}));
}

Status check_same_tool(const Record& record, const Plan& plan) {
  const std::string tool = tool_of(plan);
  if (record.tool.find(" build ") == std::string::npos || record.tool == tool) return {};
  return fail(ErrorKind::usage,
              fmt::format("the record was measured by {}, and this is {}", printable(record.tool), tool),
              "processes of two builds in one record cannot be told apart: restore the program, the modules "
              "and the scripts that it was measured with, or measure anew with `harness run`");
}

BuildParts this_build(const Plan& plan, const Revision& revision) {
  const std::string named = environment::named_environment();
  if (named.empty() || !plan.modules.empty()) return {};
  std::error_code gone;
  const fs::path folder = fs::current_path(gone);
  if (gone) return {};
  BuildParts build{{"environment", named},
                   {"folder", folder.string()},
                   {"program", hash_of_file(this_program())},
                   {"module", hash_of_file(cuda_module_path())},
                   {"variables", hash_of_variables()},
                   {"tree", state_of_tree(folder, revision)}};
  return build["program"] == "none" || build["tree"].empty() ? BuildParts{} : build;
}

}  // namespace harness
