#include "harness/cli/provenance/tool.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/open.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr const char* variables = "environment";
constexpr const char* cache_of_the_loader = "/etc/ld.so.cache";
constexpr std::uintmax_t most_hashed_bytes = 32 << 20;

fs::path build_folder() {
  return this_program().parent_path().parent_path();
}

std::string part_name(const fs::path& file) {
  const fs::path inside = file.lexically_relative(build_folder());
  const bool beside =
      !inside.empty() && *inside.begin() != ".." && inside.parent_path().parent_path().empty();
  return beside ? "./" + inside.generic_string() : file.generic_string();
}

fs::path file_of(const std::string& part) {
  return part.starts_with("./") ? build_folder() / part.substr(2) : fs::path(part);
}

// "" for a file that cannot be read. The content is read anew when the file was written since.
std::string state_of(const std::string& part) {
  const fs::path file = file_of(part);
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(file, code);
  if (code) return {};
  const std::string written =
      fmt::format("{} bytes, written {}", bytes, fs::last_write_time(file, code).time_since_epoch().count());
  if (bytes > most_hashed_bytes && file.native() == part) return written;
  static std::map<fs::path, std::pair<std::string, std::string>> known;
  auto& [when, hash] = known[file];
  if (std::exchange(when, written) == written) return hash;
  const Result<std::string> content = read_file(file.string());
  return hash = content ? content_hash(*content) : std::string();
}

std::string state_of_variables() {
  std::string text;
  for (const auto& [name, value] : environment::steering()) text += fmt::format("{}={}\n", name, value);
  return content_hash(text);
}

std::string state_now(const std::string& part) {
  return part == variables ? state_of_variables() : state_of(part);
}

// The files whose code a process may execute. Devices and memory without a file have no part in it.
std::set<std::string> mapped_files(int process) {
  std::set<std::string> files;
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    // "7f0a1000-7f0a2000 r-xp 00001000 08:01 1234   /usr/lib/libm.so.6"
    const std::size_t path = line.find('/'), mode = line.find(' ');
    if (path == std::string::npos || line.substr(mode + 1, 4).find('x') == std::string::npos) continue;
    const std::string file = line.substr(path);
    if (!file.starts_with("/dev/") && !file.starts_with("/memfd:") && !file.starts_with("/SYSV"))
      files.insert(file);
  }
  return files;
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
  const bool other = record.tool.find(" build ") != std::string::npos && record.tool != tool;
  const std::optional<std::string> changed = changed_part(record.build);
  if (!other && !changed) return {};
  const std::string what =
      other ? fmt::format("by {}, and this is {}", printable(record.tool), tool)
            : fmt::format("with another {}", *changed == variables ? "environment" : printable(*changed));
  return fail(
      ErrorKind::usage, "the record was measured " + what,
      "processes of two builds in one record cannot be told apart: restore the program, its libraries "
      "and variables as they were, or measure anew with `harness run`");
}

BuildParts this_build() {
  BuildParts build{{variables, state_of_variables()}};
  std::error_code code;
  for (const fs::path& file : {this_program(), cuda_module_path(), fs::path(cache_of_the_loader)}) {
    const std::string part = part_name(file.lexically_normal());
    if (fs::exists(file, code)) build[part] = state_of(part);
  }
  return build;
}

bool add_mapped(BuildParts& build, int process) {
  const std::set<std::string> files = mapped_files(process);
  if (files.empty()) build.clear();  // the system does not tell them
  bool any_new = files.empty();
  for (const std::string& file : files) {
    const auto [part, added] = build.try_emplace(part_name(file));
    if (added) part->second = state_of(part->first);
    any_new |= added;
  }
  return any_new;
}

std::optional<std::string> changed_part(const BuildParts& build) {
  for (const auto& [part, state] : build)
    if (state.empty() || state_now(part) != state) return part;
  return std::nullopt;
}

}  // namespace harness
