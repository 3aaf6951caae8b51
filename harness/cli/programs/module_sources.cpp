#include "harness/cli/programs/module_sources.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// cmake/built_from.cmake has the same list.
constexpr std::array<std::string_view, 18> endings{
    ".c",   ".cc",  ".cpp", ".cxx", ".cu",  ".cuh", ".h", ".hh",    ".hpp",
    ".hxx", ".inl", ".inc", ".ipp", ".tpp", ".ptx", ".S", ".cmake", "CMakeLists.txt"};

bool is_source(std::string_view line) {
  if (line.ends_with('"')) line.remove_suffix(1);  // git quotes an unusual path
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view end) { return line.ends_with(end); });
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code code;
  const fs::path relative =
      fs::weakly_canonical(file, code).lexically_relative(fs::weakly_canonical(folder, code));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::string module_built_from(const std::string& module) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return {};
  const auto built_from = reinterpret_cast<const char* (*)()>(dlsym(library, "harness_module_built_from"));
  std::string identity = built_from == nullptr ? "" : built_from();
  dlclose(library);
  return identity;
}

std::string module_sources_of(const fs::path& root, const std::string& commit) {
  const Result<std::string> listed = files_of_commit(root, commit, {});
  if (!listed) return {};
  std::string files;
  for (const std::string& line : split(*listed, '\n'))
    if (is_source(line)) files += line + "\n";
  return content_hash(files);
}

Status check_modules_built_from_head(const fs::path& folder, const std::vector<std::string>& modules) {
  const std::optional<fs::path> root = repository_root(folder);
  if (!root) return {};
  std::optional<Revision> head;  // read for the first module that says anything
  std::string wanted;
  for (const std::string& module : modules) {
    const std::string found = module_built_from(module);
    if (found.empty() || !lies_in(module, *root)) continue;
    if (!head) {
      head = head_revision(*root);
      if (head->commit.empty() || head->dirty) return {};
      wanted = module_sources_of(*root, head->commit);
    }
    if (wanted.empty() || wanted == found) continue;
    return fail(ErrorKind::usage, Location{module},
                fmt::format("was not built from {}, which is checked out here", head->commit.substr(0, 10)),
                "build again: `cmake --build` of its folder; `--allow stale` measures it all the same");
  }
  return {};
}

}  // namespace harness
