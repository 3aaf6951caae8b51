#include "harness/cli/judging/deleted_suites.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t largest_suite = 1 << 20;

bool is_yaml(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

// The name of the suite that a text is, as it is written; "" where it is none.
std::string suite_named(const std::string& text) {
  std::string name;
  bool has_cases = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("name:")) name = trim(std::string_view(line).substr(5));
    has_cases |= line.starts_with("cases:") || line.starts_with("programs:");
  }
  return has_cases ? name : std::string();
}

// The names of the suites in a folder of the tree.
std::set<std::string> suites_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code))
    if (is_yaml(entry.path()))
      if (const Result<std::string> text = read_file(entry.path(), largest_suite))
        names.insert(suite_named(*text));
  return names;
}

}  // namespace

std::string deleted_suites(const std::string& baseline, const Selected& current) {
  const std::string& file = current.record.suite.file;
  const std::string& commit = current.record.revision.commit;
  const std::optional<fs::path> root = repository_root(".");
  if (file.empty() || commit.empty() || !root) return {};
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file).parent_path(), code);
  const fs::path below = folder.lexically_relative(fs::canonical(*root, code));
  const Result<std::string> asked = resolve_revision(*root, baseline);
  if (!asked || below.empty() || *below.begin() == "..") return {};
  const Result<std::string> base = merge_base(*root, *asked, commit);
  if (!base) return {};
  const std::string place = below == "." ? std::string() : below.string() + "/";
  const Result<std::string> files =
      files_of_commit(*root, *base, place.empty() ? std::vector<std::string>{} : std::vector{place});
  if (!files) return {};
  std::vector<std::string> deleted;
  std::optional<std::set<std::string>> still;
  for (const std::string& line : split(*files, '\n')) {
    const std::size_t tab = line.find('\t');
    const std::string path = tab == std::string::npos ? "" : line.substr(tab + 1);
    if (!is_yaml(path) || fs::path(path).parent_path() != fs::path(place).parent_path() ||
        fs::exists(*root / path, code))
      continue;
    const Result<std::string> text = file_at(*root, *base, path);
    const std::string name = text ? suite_named(*text) : std::string();
    if (name.empty()) continue;
    if (!still) still = suites_in(folder);
    if (!still->contains(name)) deleted.push_back(printable(path));
  }
  return join(deleted, ", ");
}

}  // namespace harness
