#include "harness/cli/provenance/module_sources.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
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

// The endings of other compiled languages.
constexpr std::array<std::string_view, 10> more_endings{".rs",    ".go", ".f",    ".f90", ".zig",
                                                        ".swift", ".d",  ".java", ".kt",  ".s"};

bool ends_with_one(std::string_view line, std::span<const std::string_view> ends) {
  if (line.ends_with('"')) line.remove_suffix(1);  // git quotes an unusual path
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return line.ends_with(end); });
}

template <class IsSource>
std::string hash_of_sources(const fs::path& root, const std::string& commit, IsSource is_source) {
  const Result<std::string> listed = files_of_commit(root, commit, {});
  if (!listed) return {};
  std::string files;
  for (const std::string& line : split(*listed, '\n'))
    if (is_source(line)) files += line + "\n";
  return files.empty() ? std::string() : content_hash(files);
}

std::optional<std::string> text_of(void* library, const char* function) {
  const auto text = reinterpret_cast<const char* (*)()>(dlsym(library, function));
  if (text == nullptr) return std::nullopt;
  return text();
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

// The top folder of the repository that holds a file, or "".
std::string holder_of(const std::string& file) {
  const std::optional<fs::path> root = repository_root(fs::path(file).parent_path());
  return root ? root->string() : std::string();
}

}  // namespace

std::optional<ModuleSources> module_built_from(const std::string& module) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  const auto identity = text_of(library, "harness_module_built_from");
  const auto root = text_of(library, "harness_module_source_root");
  dlclose(library);
  if (!identity) return std::nullopt;
  return ModuleSources{*identity, root.value_or("")};
}

std::string module_sources_of(const fs::path& root, const std::string& commit) {
  return hash_of_sources(root, commit, [](std::string_view line) { return ends_with_one(line, endings); });
}

std::string compiled_sources_of(const fs::path& root, const std::string& commit) {
  return hash_of_sources(root, commit, [](std::string_view line) {
    return ends_with_one(line, endings) || ends_with_one(line, more_endings);
  });
}

Status check_modules_built_from_head(const fs::path& folder, const std::vector<std::string>& modules) {
  const std::optional<fs::path> top = repository_root(folder);
  if (!top) return {};
  std::map<fs::path, CheckedOut> repositories;  // by their place in `top`, read for the first module of each
  for (const std::string& module : modules) {
    const std::optional<ModuleSources> found = module_built_from(module);
    if (!found) {
      if (!repositories.contains(".")) repositories["."] = checked_out(*top);
      if (fs::path(module).extension() != ".py" && !repositories["."].sources.empty())
        fmt::print(stderr, "{}: does not say which sources it was built from, and is taken as it is\n",
                   printable(module));
      continue;
    }
    const std::string root = found->root.empty() ? holder_of(module) : found->root;
    if (root.empty()) continue;
    const std::optional<fs::path> place = repository_in(root, *top);
    if (!place) continue;
    for (const fs::path& each : {fs::path("."), *place})
      if (!repositories.contains(each)) repositories[each] = checked_out(*top / each);
    const Revision& recorded = repositories["."].head;
    if (recorded.commit.empty() || recorded.dirty) return {};
    const CheckedOut& wanted = repositories[*place];
    if (wanted.sources.empty() || wanted.sources == found->identity) continue;
    const std::string commit = wanted.head.commit.substr(0, 10);
    const std::string here = *place == "." ? "here" : "in " + printable(place->string());
    return fail(
        ErrorKind::usage, Location{module},
        found->identity.empty()
            ? fmt::format("was built while git tracked none of its sources, so nobody knows whether it "
                          "is of {}, which is checked out {}",
                          commit, here)
            : fmt::format("was not built from {}, which is checked out {}", commit, here),
        "build again: `cmake --build` of its folder; `--allow stale` measures it all the same");
  }
  return {};
}

}  // namespace harness
