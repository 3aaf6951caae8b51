#include "harness/cli/provenance/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/base/bulk_hash.h"
#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/catalog/catalog.h"
#include "harness/catalog/python_child.h"
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

// The tracked files below `top`.
struct Tree {
  fs::path top;
  std::optional<std::string> listed;  // as git lists those of HEAD; without the repository nothing
  std::string state;                  // changes with any of them but Markdown
};

// The contents of tracked files that head_revision() does not look at: those that git is told to skip, and
// those in the store's folder.
std::string contents_beside_git(const fs::path& root) {
  std::vector<std::string> files = unseen_files(root);
  for (std::string& file : tracked_files(root, {":(top).harness", ":(glob,top)**/.harness/**"}))
    files.push_back(std::move(file));
  std::string text;
  for (const std::string& file : files) text += file + " " + hash_of_file(root / file) + "\n";
  return text;
}

// std::nullopt where nothing tells the files.
std::optional<Tree> tree_of(const fs::path& folder, const Revision& measured) {
  const std::optional<fs::path> root = repository_root(folder);
  if (!root) {
    if (top_of_tree()) return std::nullopt;  // a repository that git cannot read
    if (measured.commit.empty() || measured.dirty) return std::nullopt;
    return Tree{folder, {}, "commit " + measured.commit};
  }
  const Revision now = head_revision(*root);
  Result<std::string> listed = files_of_commit(*root, now.commit, {"."});
  if (!listed || (now.dirty && now.changes.empty())) return std::nullopt;
  std::string files;
  for (const std::string& line : split(*listed, '\n'))
    if (!line.ends_with(".md")) files += line + "\n";
  return Tree{*root, std::move(*listed), content_hash(files + now.changes + contents_beside_git(*root))};
}

// Whether a module is one of the tracked files: the code of a compiled one may lie in files that nobody
// knows.
bool is_tracked_script(const fs::path& module, const Tree& tree) {
  std::error_code code;
  const fs::path path = fs::canonical(module, code).lexically_relative(fs::canonical(tree.top, code));
  if (path.extension() != ".py" || path.empty() || *path.begin() == "..") return false;
  return !tree.listed || ("\n" + *tree.listed).find("\t" + path.string() + "\n") != std::string::npos;
}

bool is_code(const fs::path& file) {
  constexpr std::array endings{".py",     ".pyx", ".so",  ".cu",  ".cuh", ".ptx", ".cubin",
                               ".fatbin", ".c",   ".cc",  ".cpp", ".cxx", ".h",   ".hh",
                               ".hpp",    ".hxx", ".inl", ".S",   ".s",   ".cl",  ".hip"};
  return std::find(endings.begin(), endings.end(), file.extension()) != endings.end() ||
         file.filename().string().find(".so.") != std::string::npos;  // a library with its version
}

const fs::file_time_type begun = fs::file_time_type::clock::now();

// Hashes all files of code below a folder, tracked or not. std::nullopt where they are too many, or where one
// was written since this program began: it is not known which of its processes saw that.
std::optional<std::string> hash_of_code(const fs::path& folder) {
  constexpr std::size_t most_files = 2000;
  std::set<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, code),
       end;
       !code && at != end; at.increment(code)) {
    const bool kept = at->path().parent_path().filename() == ".harness" &&
                      (at->path().filename() == "worktrees" || at->path().filename() == "builds");
    if (at->path().filename() == ".git" || kept) at.disable_recursion_pending();
    if (!is_code(at->path()) || !at->is_regular_file(code)) continue;
    if (files.size() == most_files || at->last_write_time(code) > begun) return std::nullopt;
    files.insert(at->path());
  }
  if (code) return std::nullopt;
  std::string text;
  for (const fs::path& file : files) text += file.string() + " " + hash_of_file(file) + "\n";
  return content_hash(text);
}

// Hashes modules in Python, the code beside them, and what runs them: "" without modules, std::nullopt where
// that is not known.
std::optional<std::string> hash_of_scripts(const std::vector<std::string>& modules, const Tree& tree) {
  std::string text;
  if (modules.empty()) return text;
  std::vector<fs::path> folders{python_package()};
  for (const fs::path module : modules) {
    if (!is_tracked_script(module, tree)) return std::nullopt;
    std::error_code code;
    folders.insert(folders.end(), {module.parent_path(), fs::canonical(module, code).parent_path()});
    text += module.string() + "\n";
  }
  for (const fs::path& folder : folders) {
    const std::optional<std::string> hash = hash_of_code(folder);
    if (!hash) return std::nullopt;
    text += *hash + "\n";
  }
  return content_hash(text + hash_of_file(python_worker_library()));
}

// Whether files of code below the folders of the suite and its modules are neither tracked nor ignored:
// nobody knows them. Says so once, and that there are other such files.
bool has_unknown_code(const Plan& plan, const Tree& tree) {
  if (!tree.listed || plan.suite.file.empty()) return false;
  std::vector<std::string> folders{fs::absolute(plan.suite.file).parent_path().string()};
  for (const fs::path module : plan.modules) folders.push_back(module.parent_path().string());
  std::error_code code;
  const fs::path top = fs::canonical(tree.top, code);
  std::erase_if(folders, [&](const std::string& folder) {
    const fs::path below = fs::weakly_canonical(folder, code).lexically_relative(top);
    return below.empty() || *below.begin() == "..";
  });
  if (folders.empty()) return false;
  std::vector<std::string> unknown;
  std::size_t others = 0;
  for (const std::string& file : untracked_files(tree.top, folders)) {
    if (is_code(file))
      unknown.push_back(printable(file));
    else
      ++others;
  }
  static std::set<std::string> told;
  if (!told.insert(plan.suite.file).second) return !unknown.empty();
  if (!unknown.empty())
    fmt::print(stderr, "nothing is proven by the build: git neither tracks nor ignores {}\n",
               join(unknown, ", "));
  else if (others > 0)
    fmt::print(stderr,
               "{} files beside the suite are neither tracked nor ignored, and no part of the build\n",
               others);
  return !unknown.empty();
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
  static const std::string identity =
      identity_of_files({program, kernels_module_path(), folder / "libharness_cuda.so",
                         folder.parent_path() / "lib" / "libharness_cuda.so"});
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
  if (named.empty()) return {};
  std::error_code gone;
  const fs::path folder = fs::current_path(gone);
  if (gone) return {};
  const std::optional<Tree> tree = tree_of(folder, revision);
  if (tree && has_unknown_code(plan, *tree)) return {};
  const std::optional<std::string> scripts = tree ? hash_of_scripts(plan.modules, *tree) : std::nullopt;
  if (!scripts) return {};
  BuildParts build{{"environment", named},
                   {"folder", folder.string()},
                   {"program", hash_of_file(this_program())},
                   {"kernels", hash_of_file(kernels_module_path())},
                   {"module", hash_of_file(cuda_module_path())},
                   {"variables", hash_of_variables()},
                   {"tree", tree->state}};
  if (!scripts->empty()) build["scripts"] = *scripts;
  return build["program"] == "none" ? BuildParts{} : build;
}

}  // namespace harness
