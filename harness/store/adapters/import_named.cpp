#include "harness/store/adapters/import_named.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "harness/base/named_file.h"
#include "harness/base/text.h"
#include "harness/model/pin/pin_codec.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 6> endings{".json", ".jsonl", ".json.gz", ".csv", ".sqlite", ".xml"};

bool has_wildcards(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

bool has_ending(std::string_view name) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view one) { return name.ends_with(one); });
}

bool holds_record(const std::string& name) {
  std::array<char, 512> begin{};
  std::ifstream in(name, std::ios::binary);
  in.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(in.gcount()));
  return is_pin(text) || text.find("\"harness-record\"") != std::string_view::npos;
}

// The files below a folder whose paths match; "**" stands for folders of any depth, which glob() lacks.
std::vector<std::string> files_below(const std::string& name) {
  const std::string fixed = name.substr(0, name.find_first_of("*?["));
  const std::size_t slash = fixed.rfind('/');
  const fs::path folder = slash == std::string::npos ? fs::path(".") : fs::path(fixed.substr(0, slash + 1));
  const std::string from = slash == std::string::npos ? "./" : "";
  std::vector<std::string> files;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (std::error_code ignored;
        wildcard_match(from + name, at->path().string()) && at->is_regular_file(ignored))
      files.push_back(at->path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool names_tool_files(const std::string& name) {
  // Revisions have no wildcards, but for those that search: "HEAD^{/a*}", ":/a*".
  if (has_wildcards(name)) return name.find("^{") == std::string::npos && !name.starts_with(":/");
  std::error_code code;
  if (name.ends_with('/') && fs::is_directory(name, code)) return true;  // to say that it is a folder
  if (!fs::is_regular_file(name, code)) return has_ending(name) && !name.ends_with(".json");
  return !holds_record(name);
}

Result<std::vector<std::string>> files_named(const std::string& name) {
  std::error_code code;
  if (fs::is_directory(name, code))
    return fail(ErrorKind::usage, fmt::format("`{}` is a folder", printable(name)),
                fmt::format("name its files: {}", shell_quoted((fs::path(name) / "*.json").string())));
  if (!has_wildcards(name) || fs::exists(name, code)) return std::vector<std::string>{name};
  glob_t found{};
  std::vector<std::string> files;
  if (name.find("**") != std::string::npos)
    files = files_below(name);
  else if (glob(name.c_str(), GLOB_ERR, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i)
      if (fs::is_regular_file(found.gl_pathv[i], code)) files.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  if (!files.empty()) return files;
  return fail(ErrorKind::usage, fmt::format("no file matches `{}`", printable(name)),
              "the wildcards are *, **, ? and [..]; quote the text, so that the shell leaves them alone");
}

Checked<Record> import_named(const std::vector<std::string>& names, const ImportOptions& options,
                             const std::function<void(const Import&)>& added) {
  Import import(options);
  for (const std::string& name : names) {
    const Result<std::vector<std::string>> files = files_named(name);
    if (!files) return fail_checked(files.error());
    for (const std::string& file : *files) {
      const Result<std::string> text = read_named_file(file, {endings.begin(), endings.end()});
      if (!text) return fail_checked(text.error());
      if (const Checked<bool> read = import.add(*text, file); !read) return tl::unexpected(read.error());
      if (added) added(import);
    }
  }
  return std::move(import).take();
}

}  // namespace harness
