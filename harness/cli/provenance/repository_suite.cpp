#include "harness/cli/provenance/repository_suite.h"

#include <filesystem>
#include <optional>
#include <string>

#include "harness/store/git.h"
#include "harness/suite/load_suite.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// "services.api." of services/api/suites/fusion.yaml.
std::string package_of(const fs::path& file) {
  std::string package;
  for (const fs::path& part : file.parent_path())
    if (part != "suites") package += part.string() + ".";
  return package;
}

// Whether a tracked file of another package is a suite of this name. Files are seen from the top.
bool is_elsewhere(const fs::path& top, const std::string& package, const std::string& name) {
  for (const fs::path file : tracked_files_with(top, {"name:", name}, {"*.yaml", "*.yml"})) {
    if (package_of(file) == package) continue;
    const Checked<Suite> other = load_suite((top / file).string());
    if (other && other->identity.name == name) return true;
  }
  return false;
}

}  // namespace

Checked<Suite> load_repository_suite(const std::string& path) {
  Checked<Suite> suite = load_suite(path);
  if (!suite) return suite;
  std::error_code code;
  const fs::path file = fs::canonical(path, code);
  const std::optional<fs::path> top = code ? std::nullopt : repository_root(file.parent_path());
  if (!top) return suite;
  const std::string package = package_of(file.lexically_relative(*top));
  std::string& name = suite->identity.name;
  if (is_elsewhere(*top, package, name)) name = package + name;
  return suite;
}

}  // namespace harness
