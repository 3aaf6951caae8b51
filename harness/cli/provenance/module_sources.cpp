#include "harness/cli/provenance/module_sources.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
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

std::string text_of(void* library, const char* function) {
  const auto text = reinterpret_cast<const char* (*)()>(dlsym(library, function));
  return text == nullptr ? "" : text();
}

// The commit that is checked out in a repository.
struct CheckedOut {
  Revision head;
  std::string sources;  // "" when the head is no commit or has changes
};

CheckedOut checked_out(const fs::path& root) {
  CheckedOut out{head_revision(root), {}};
  if (!out.head.commit.empty() && !out.head.dirty) out.sources = module_sources_of(root, out.head.commit);
  return out;
}

// Where `root` lies in `top`, "." when it is the same; nullopt outside, and where it is no repository's top.
std::optional<fs::path> repository_in(const std::string& root, const fs::path& top) {
  std::error_code code;
  if (!fs::is_directory(root, code)) return std::nullopt;
  const std::optional<fs::path> found = repository_root(root);
  if (!found || !fs::equivalent(*found, root, code)) return std::nullopt;
  fs::path relative = fs::weakly_canonical(root, code).lexically_relative(fs::weakly_canonical(top, code));
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

}  // namespace

ModuleSources module_built_from(const std::string& module) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return {};
  ModuleSources sources{text_of(library, "harness_module_built_from"),
                        text_of(library, "harness_module_source_root")};
  dlclose(library);
  return sources;
}

std::string module_sources_of(const fs::path& root, const std::string& commit) {
  const Result<std::string> listed = files_of_commit(root, commit, {});
  if (!listed) return {};
  std::string files;
  for (const std::string& line : split(*listed, '\n'))
    if (is_source(line)) files += line + "\n";
  return files.empty() ? std::string() : content_hash(files);
}

Status check_modules_built_from_head(const fs::path& folder, const std::vector<std::string>& modules) {
  const std::optional<fs::path> top = repository_root(folder);
  if (!top) return {};
  std::map<fs::path, CheckedOut> repositories;  // by their place in `top`, read for the first module of each
  for (const std::string& module : modules) {
    const ModuleSources found = module_built_from(module);
    if (found.identity.empty() || found.root.empty()) continue;
    const std::optional<fs::path> place = repository_in(found.root, *top);
    if (!place) continue;
    for (const fs::path& each : {fs::path("."), *place})
      if (!repositories.contains(each)) repositories[each] = checked_out(*top / each);
    const Revision& recorded = repositories["."].head;
    if (recorded.commit.empty() || recorded.dirty) return {};
    const CheckedOut& wanted = repositories[*place];
    if (wanted.sources.empty() || wanted.sources == found.identity) continue;
    return fail(
        ErrorKind::usage, Location{module},
        fmt::format("was not built from {}, which is checked out {}", wanted.head.commit.substr(0, 10),
                    *place == "." ? "here" : "in " + printable(place->string())),
        "build again: `cmake --build` of its folder; `--allow stale` measures it all the same");
  }
  return {};
}

}  // namespace harness
