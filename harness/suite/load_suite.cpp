#include "harness/suite/load_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/suite/reader.h"
#include "harness/suite/setting_keys.h"
#include "harness/suite/yaml/schema_check.h"
#include "harness/suite/yaml/yaml_tree.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_file = 8 << 20;

Error too_large(const std::string& file, const std::string& size) {
  return {ErrorKind::usage, fmt::format("the suite is larger than 8 MiB{}", size), Location{file},
          "a suite describes cases, most by `axes`; is this the right file?"};
}

// The suite of that name in suites/, here or in a folder above: somebody may write `fusion`.
std::string suite_called(const std::string& name) {
  constexpr int most_folders = 20;
  std::error_code code;
  fs::path up;
  for (int level = 0; level < most_folders; ++level, up /= "..") {
    for (const char* folder : {"", "suites"}) {
      const fs::path file = up / folder / (name + ".yaml");
      if (fs::is_regular_file(file, code)) return file.string();
    }
    if (fs::exists(up / ".git", code)) break;
  }
  return {};
}

// The suite of that name beside an installed program, or "".
std::string installed_suite(const std::string& name) {
  std::error_code code;
  const fs::path file =
      this_program().parent_path().parent_path() / "share/harness/suites" / (name + ".yaml");
  return fs::is_regular_file(file, code) ? file.string() : std::string();
}

Error missing_file(const fs::path& path) {
  const std::string stem = path.extension() == ".yaml" ? path.stem().string() : path.filename().string();
  std::string meant = suite_called(stem);
  if (meant.empty()) meant = nearest_file(path, {".yaml", ".yml"}).value_or("");
  if (meant.empty()) meant = installed_suite(stem);
  if (!meant.empty())
    return {ErrorKind::usage, "no such suite", Location{path.string()},
            fmt::format("did you mean `{}`?", printable(meant))};
  std::string example = suite_called("smoke");
  if (example.empty()) example = installed_suite("smoke");
  return {ErrorKind::usage, "no such suite", Location{path.string()},
          example.empty() ? "give the path of a YAML file"
                          : fmt::format("give the path of a YAML file, such as `{}`", printable(example))};
}

// At most one byte more than the largest suite is read, whatever `path` is (a pipe has no size).
Result<std::string> read_bounded(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) return fail(missing_file(path));
  if (fs::is_directory(status))
    return fail(ErrorKind::usage, Location{path}, "is a folder, not a suite", "give one YAML file of it");
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, code);
    if (!code && size > largest_file) return fail(too_large(path, fmt::format(" ({} bytes)", size)));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open())
    return fail(ErrorKind::usage, Location{path}, "the suite cannot be read", "check the file's permissions");
  std::string text;
  char buffer[1 << 16];
  while (text.size() <= largest_file && (in.read(buffer, sizeof buffer) || in.gcount() > 0))
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
  if (text.size() > largest_file) return fail(too_large(path, ""));
  return text;
}

// A suite of another version may look quite different: that alone is worth saying.
bool known_version(const YamlValue& root, const std::string& file, ErrorList& errors) {
  const YamlValue* version = root.find("version");
  if (version == nullptr || version->kind != YamlValue::Kind::integer || version->integer == 2) return true;
  errors.add({file, version->place.line, version->place.column},
             fmt::format("unknown suite version {}", version->integer),
             version->integer == 1 ? "write `version: 2`"
                                   : "this harness reads version 2; a newer harness may read this suite");
  return false;
}

// The suite has `cases`, `programs` or both.
void check_lists(const YamlValue& root, const std::string& file, ErrorList& errors) {
  if (root.kind != YamlValue::Kind::map) return;
  if (std::any_of(root.members.begin(), root.members.end(),
                  [](const YamlMember& one) { return one.name == "cases" || one.name == "programs"; }))
    return;
  errors.add(
      {file, root.place.line, root.place.column}, "missing key `cases` in the suite",
      "What is measured: a list of groups, each of one workload. A suite may have `programs` instead.");
}

}  // namespace

Checked<Suite> parse_suite(const std::string& text, const std::string& file) {
  if (text.size() > largest_file) return fail_checked(too_large(file, ""));
  ErrorList errors;
  const YamlTree tree(text, file, errors);
  Suite suite;
  if (tree.root() != nullptr && known_version(*tree.root(), file, errors)) {
    check_schema(*tree.root(), suite_schema(), file, errors);
    check_lists(*tree.root(), file, errors);
    suite = Reader(file, errors).suite(*tree.root());
  }
  if (!errors.empty()) return tl::unexpected(errors.take());
  suite.identity.hash = content_hash(text);
  return suite;
}

namespace {

// Whether a line begins with a key that only suites have.
bool looks_like_a_suite(const std::string& text) {
  const std::vector<std::string> lines = split(text, '\n');
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("cases:") || line.starts_with("programs:");
  });
}

}  // namespace

Checked<Suite> load_suite(const std::string& path) {
  const Result<std::string> text = read_bounded(path);
  if (!text) return fail_checked(text.error());
  Checked<Suite> suite = parse_suite(*text, path);
  const std::string ending = to_lower(fs::path(path).extension().string());
  const bool other_kind = !ending.empty() && ending != ".yaml" && ending != ".yml" && ending != ".json";
  if (suite || !other_kind || looks_like_a_suite(*text)) return suite;
  const Error& first = suite.error().front();
  return fail_checked({ErrorKind::usage, "is no suite: " + first.message, first.where,
                       "suites are files of YAML, and their names end in .yaml"});
}

std::vector<std::string> module_paths(const Suite& suite) {
  std::vector<std::string> paths;
  const fs::path folder = fs::path(suite.identity.file).parent_path();
  for (const At<std::string>& module : suite.modules)
    paths.push_back(fs::absolute(folder / module.value).lexically_normal().string());
  return paths;
}

}  // namespace harness
