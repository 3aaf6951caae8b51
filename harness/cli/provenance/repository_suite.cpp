#include "harness/cli/provenance/repository_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/store/git.h"
#include "harness/suite/load_suite.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// Other files below the top that are suites of this name, as seen from the top.
std::vector<fs::path> other_suites(const fs::path& top, const fs::path& own, const std::string& name) {
  std::vector<fs::path> others;
  for (const fs::path file : tracked_files_with(top, {"name:", name}, {"*.yaml", "*.yml"})) {
    if (file == own) continue;
    const Checked<Suite> other = load_suite((top / file).string());
    if (other && other->identity.name == name) others.push_back(file);
  }
  return others;
}

}  // namespace

Checked<Suite> load_repository_suite(const std::string& path) {
  Checked<Suite> suite = load_suite(path);
  if (!suite) return suite;
  std::error_code code;
  const fs::path file = fs::canonical(path, code);
  const std::optional<fs::path> top = code ? std::nullopt : repository_root(file.parent_path());
  if (!top) return suite;
  const fs::path own = file.lexically_relative(*top);
  std::string& name = suite->identity.name;
  const std::vector<fs::path> others = other_suites(*top, own, name);
  if (others.empty()) return suite;
  const bool beside = std::any_of(others.begin(), others.end(), [&](const fs::path& other) {
    return other.parent_path() == own.parent_path();
  });
  if (beside && own.stem() != name) name = fmt::format("{}.{}", own.stem().string(), name);
  std::string folder;
  for (const fs::path& part : own.parent_path())
    if (part != "suites") folder += part.string() + ".";
  name = folder + name;
  return suite;
}

}  // namespace harness
