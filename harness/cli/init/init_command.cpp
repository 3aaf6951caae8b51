// `harness init`: writes a suite and the workflows that gate it, for what the repository has.
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/command_words.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/init/find_benchmarks.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

struct InitArguments {
  std::vector<std::string> command;
  std::string from = "OWNER/harness";
  std::string suite = "suite.yaml";
};

constexpr const char* workflow_file = ".github/workflows/perf.yml";

std::string yaml_word(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\u{:04x}", byte);  // also a newline, which YAML would fold into a space
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

// A name of a suite or a case of it: letters, digits, _ and -.
std::string suite_name(const std::string& text) {
  std::string name;
  for (const unsigned char c : text) name += std::isalnum(c) != 0 || c == '-' ? static_cast<char>(c) : '_';
  return name.empty() ? "mine" : name;
}

// Names that a suite can have, each once.
void name_apart(std::vector<FoundProgram>& programs) {
  std::set<std::string> names;
  for (FoundProgram& one : programs) {
    const std::string name = suite_name(one.name);
    one.name = name;
    for (int number = 2; !names.insert(one.name).second; ++number)
      one.name = fmt::format("{}_{}", name, number);
  }
}

std::string suite_text(const std::string& name, const std::vector<FoundProgram>& programs) {
  std::string text = fmt::format("version: 2\nname: {}\nprograms:\n", suite_name(name));
  for (const FoundProgram& one : programs) {
    std::vector<std::string> words;
    for (const std::string& word : one.command) words.push_back(yaml_word(word));
    text += fmt::format("  - name: {}\n    command: [{}]\n", one.name, join(words, ", "));
    if (!one.build.empty()) text += fmt::format("    build: {}\n", yaml_word(one.build));
    if (!one.reads.empty()) text += fmt::format("    reads: {}\n", one.reads);
    if (one.uses_gpu) text += "    device: cuda\n";
    text += "    gate: {margin: 5%}  # slower by up to 5 % is no change\n";
  }
  return text;
}

// The caller of gate.yml. Programs in C or C++ without a GPU are built and measured beside their base: any
// runner will do.
std::string workflow_text(const InitArguments& arguments, const std::string& branch, bool any_runner) {
  const std::string runner = any_runner ? ", runner: '\"ubuntu-24.04\"'" : "";
  return fmt::format(
      "name: perf\n"
      "on:\n"
      "  push: {{branches: [{0}]}}\n"
      "  pull_request: {{types: [opened, synchronize, reopened, edited, labeled]}}\n"
      "  merge_group:\n"
      "jobs:\n"
      "  gate:\n"
      "    permissions: {{contents: read, pull-requests: write}}\n"
      "    uses: {1}/.github/workflows/gate.yml@v{2}\n"
      "    with: {{suite: {3}{4}}}\n",
      yaml_word(branch), arguments.from, split(HARNESS_VERSION, '.').front(), yaml_word(arguments.suite),
      runner);
}

std::string comment_text(const InitArguments& arguments) {
  return fmt::format(
      "name: perf-comment\n"
      "on: {{workflow_run: {{workflows: [perf], types: [completed]}}}}\n"
      "permissions: {{actions: read, contents: read, pull-requests: write}}\n"
      "jobs: {{comment: {{uses: {}/.github/workflows/comment.yml@v{}}}}}\n",
      arguments.from, split(HARNESS_VERSION, '.').front());
}

// The branch that pull requests go to: that of origin, else the one that is checked out.
std::string branch_of_changes(const fs::path& root) {
  Command command;
  command.argv = {"git", "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"};
  command.folder = root;
  const Result<Output> head = run_command(command);
  constexpr std::string_view begin = "refs/remotes/origin/";
  if (head && head->exit.ok() && head->out.starts_with(begin))
    return std::string(trim(std::string_view(head->out).substr(begin.size())));
  const std::string branch = head_revision(root).branch;
  return branch.empty() ? "main" : branch;
}

// Also a link to nothing.
bool is_there(const fs::path& file) {
  std::error_code code;
  return fs::symlink_status(file, code).type() != fs::file_type::not_found;
}

bool is_ignored(const fs::path& root, const std::string& folder) {
  Command command;
  command.argv = {"git", "check-ignore", "--quiet", "--", folder + "/"};
  command.folder = root;
  const Result<Output> told = run_command(command);
  return told && told->exit.ok();
}

Status write_new(const fs::path& root, const std::string& file, const std::string& text,
                 const std::string& what) {
  if (is_there(root / file)) {
    fmt::print("kept   {}: it is there already\n", printable(file));
    return {};
  }
  if (const Status written = write_file_atomically(root / file, text); !written) return written;
  fmt::print("wrote  {}: {}\n", printable(file), what);
  return {};
}

// Whether the workflow, new or kept, calls the gate. The one that comments is written for that.
Result<bool> write_workflows(const fs::path& root, const InitArguments& arguments, const std::string& branch,
                             bool any_runner) {
  if (const Status written =
          write_new(root, workflow_file, workflow_text(arguments, branch, any_runner),
                    "measures and judges pull requests and pushes to " + printable(branch));
      !written)
    return fail(written.error());
  const Result<std::string> text = read_file(root / workflow_file);
  if (!text || text->find("/workflows/gate.yml") == std::string::npos) return false;
  if (const Status written = write_new(root, ".github/workflows/perf-comment.yml", comment_text(arguments),
                                       "comments on pull requests of forks");
      !written)
    return fail(written.error());
  return true;
}

int init(const InitArguments& arguments) {
  const auto root = repository_root(".");
  if (!root)
    return report_error(
        {ErrorKind::usage, "this folder is in no git repository", {}, "run `git init` first"});
  std::vector<FoundProgram> programs;
  if (arguments.command.empty())
    programs = find_benchmarks(*root);
  else
    programs.push_back(given_program(*root, arguments.command));
  if (programs.empty())
    return report_error(
        {ErrorKind::missing,
         "no tracked file tells of a benchmark: no target of CMake links benchmark::benchmark or "
         "nvbench::nvbench, and no test_*.py has the fixture `benchmark`",
         {},
         "name a program with its arguments, as in `harness init -- ./sort 1000000`"});
  name_apart(programs);
  bool any_runner = true;
  std::set<std::string> build_folders;
  for (const FoundProgram& one : programs) {
    any_runner &= one.any_runner;
    if (!one.build_folder.empty()) build_folders.insert(one.build_folder);
    fmt::print("found  {}: {}{}\n", printable(one.name), one.what, one.where.empty() ? "" : ", " + one.where);
    if (one.build.empty())
      fmt::print("       add `build: COMMAND` to the suite: nothing here tells what builds or installs it\n");
  }
  const std::string suite = suite_text(root->filename().string(), programs);
  // The workflow measures the suite that is there, of which nothing is known.
  if (is_there(*root / arguments.suite))
    any_runner &= read_file(*root / arguments.suite).value_or("") == suite;
  const std::string count = fmt::format("{} program{}", programs.size(), programs.size() == 1 ? "" : "s");
  if (const Status written = write_new(*root, arguments.suite, suite, count); !written)
    return report_error(written.error());
  const std::string branch = branch_of_changes(*root);
  const Result<bool> gated = write_workflows(*root, arguments, branch, any_runner);
  if (!gated) return report_error(gated.error());
  if (!*gated) {
    fmt::print("next   {} calls no gate: rename it, and repeat `harness init`\n", workflow_file);
    return exit_ok;
  }
  fmt::print("next   harness run {}, commit, push, and require the check `gate / verdict into {}`\n",
             shell_quoted(arguments.suite), printable(branch));
  for (const std::string& folder : build_folders)
    if (!is_ignored(*root, folder))
      fmt::print("       add {}/ to .gitignore: the suite builds there, and its files are changes otherwise\n",
                 printable(folder));
  if (arguments.from.starts_with("OWNER/"))
    fmt::print("       put the owner of your copy of harness in the place of OWNER in the workflows\n");
  return exit_ok;
}

}  // namespace

void add_init(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "init", "Write a suite, and workflows that gate it, for the benchmarks that are here", init);
  add_command_words(command, arguments.command,
                    "a program and its arguments, after --, instead of what is found");
  command.add_option("--suite", arguments.suite, "the suite's file, from the top of the repository")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--from", arguments.from, "repository that the workflows call")
      ->type_name("OWNER/NAME")
      ->capture_default_str();
  command.footer(
      "Files that are there stay as they are.\n"
      "Exit status: 0 written or kept, 2 usage, 4 nothing to measure was found.");
  add_examples(command, {"harness init -- ./sort 1000"});
}

}  // namespace harness
