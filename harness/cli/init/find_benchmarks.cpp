#include "harness/cli/init/find_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/store/git.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t largest_of_project = 1 << 20;

struct BenchmarkLibrary {
  std::string_view prefix;  // of its targets
  std::string_view what;
  std::string_view reads;
  std::vector<std::string> arguments;
  bool uses_gpu;
};

const std::array<BenchmarkLibrary, 2>& benchmark_libraries() {
  static const std::array<BenchmarkLibrary, 2> known{
      {{"benchmark::",
        "Google Benchmark",
        "google_benchmark",
        {"--benchmark_out={output}", "--benchmark_out_format=json"},
        false},
       {"nvbench::", "NVBench", "nvbench", {"--jsonbin", "{output}"}, true}}};
  return known;
}

std::string without_comments(const std::string& text) {
  std::string kept;
  for (const std::string& line : split(text, '\n')) kept += line.substr(0, line.find('#')) + '\n';
  return kept;
}

// The words between `command(` and its bracket, for each such command of a CMake file without comments.
std::vector<std::vector<std::string>> command_calls(const std::string& text, std::string_view command) {
  std::vector<std::vector<std::string>> calls;
  const std::string lower = to_lower(text);
  for (std::size_t at = lower.find(command); at != std::string::npos; at = lower.find(command, at + 1)) {
    const char before = at == 0 ? '\n' : lower[at - 1];
    if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_') continue;  // of another name
    const std::size_t open = text.find_first_not_of(" \t", at + command.size());
    if (open == std::string::npos || text[open] != '(') continue;
    std::vector<std::string> words{{}};
    for (const char c : text.substr(open + 1, text.find(')', open) - open - 1)) {
      if (std::isspace(static_cast<unsigned char>(c)) == 0)
        words.back() += c;
      else if (!words.back().empty())
        words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    if (!words.empty()) calls.push_back(std::move(words));
  }
  return calls;
}

// A name that a target, a file or a folder of a build has as it is written.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._+-/").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// The outermost folder above a CMake file that is a project of its own, from the top of the repository.
fs::path project_of(const fs::path& root, const fs::path& file) {
  fs::path folder;
  std::error_code code;
  for (const fs::path& part : file.parent_path()) {
    if (fs::exists(root / folder / "CMakeLists.txt", code)) break;
    folder /= part;
  }
  return folder;
}

// Whether anything here may be built for a GPU.
bool has_gpu_code(const fs::path& root) {
  return !tracked_files(root, {":(top,glob)**/*.cu", ":(top,glob)**/*.cuh", ":(top,glob)**/*.hip"}).empty() ||
         !tracked_files_with(root, {"CUDA"}, {":(top,glob)**/CMakeLists.txt", ":(top,glob)**/*.cmake"})
              .empty() ||
         !tracked_files_with(root, {"nvcc"}, {":(top,glob)**/*akefile"}).empty();
}

void build_by_cmake(FoundProgram& program, const fs::path& project, const std::string& target) {
  const std::string source = project.empty() ? "." : project.string();
  const std::string build = (project / "build").string();
  program.build = fmt::format("cmake -S {} -B {} -DCMAKE_BUILD_TYPE=Release && cmake --build {} --parallel{}",
                              source, build, build, target.empty() ? "" : " --target " + target);
  program.build_folder = build;
}

void add_linking_targets(const fs::path& root, const std::string& file, const BenchmarkLibrary& library,
                         std::vector<FoundProgram>& found) {
  const Result<std::string> read = read_file(root / file, largest_of_project);
  if (!read) return;
  const std::string text = without_comments(*read);
  std::set<std::string> executables;
  for (const std::vector<std::string>& call : command_calls(text, "add_executable"))
    executables.insert(call.front());
  for (const std::vector<std::string>& call : command_calls(text, "target_link_libraries")) {
    const std::string& target = call.front();
    const bool links = std::any_of(call.begin() + 1, call.end(),
                                   [&](const std::string& word) { return word.starts_with(library.prefix); });
    if (!links || !is_plain_name(target) || !executables.contains(target)) continue;
    const fs::path project = project_of(root, file);
    const fs::path below = fs::path(file).parent_path().lexically_relative(project.empty() ? "." : project);
    FoundProgram program;
    program.name = target;
    program.what = library.what;
    program.where = file;
    program.command = {(project / "build" / (below == "." ? fs::path() : below) / target).string()};
    program.command.insert(program.command.end(), library.arguments.begin(), library.arguments.end());
    build_by_cmake(program, project, target);
    program.reads = library.reads;
    program.uses_gpu = library.uses_gpu;
    program.any_runner = !library.uses_gpu && !has_gpu_code(root);
    found.push_back(std::move(program));
  }
}

// Whether the base's files lack packages that somebody installs.
bool has_python_packages(const fs::path& root) {
  return !tracked_files(root, {":(top,glob)**/pyproject.toml", ":(top,glob)**/setup.py",
                               ":(top,glob)**/setup.cfg", ":(top,glob)**/requirements*.txt"})
              .empty();
}

bool is_tracked(const fs::path& root, const fs::path& file) {
  return !file.empty() && file.is_relative() &&
         !tracked_files(root, {":(top,literal)" + file.lexically_normal().string()}).empty();
}

}  // namespace

std::vector<FoundProgram> find_benchmarks(const fs::path& root) {
  std::vector<FoundProgram> found;
  for (const BenchmarkLibrary& library : benchmark_libraries())
    for (const std::string& file : tracked_files_with(
             root, {std::string(library.prefix)}, {":(top,glob)**/CMakeLists.txt", ":(top,glob)**/*.cmake"}))
      if (is_plain_name(file)) add_linking_targets(root, file, library, found);
  for (const std::string& file : tracked_files_with(root, {"def test_", "benchmark"},
                                                    {":(top,glob)**/test_*.py", ":(top,glob)**/*_test.py"}))
    if (is_plain_name(file))
      found.push_back({fs::path(file).stem().string(),
                       "pytest-benchmark",
                       file,
                       {"python3", "-m", "pytest", "-q", "--benchmark-json={output}", file},
                       has_python_packages(root) ? "" : "true",
                       "pytest_benchmark",
                       ""});
  return found;
}

FoundProgram given_program(const fs::path& root, const std::vector<std::string>& command) {
  FoundProgram program;
  program.command = command;
  program.what = "program";
  const fs::path file = command.front();
  program.name = file.filename().string();
  const bool in_tree = command.front().find('/') != std::string::npos && file.is_relative();
  if (!in_tree) {
    // A tool of the machine, which is built by nothing here; a file that it is given may be the program.
    const bool has_script = std::any_of(command.begin() + 1, command.end(),
                                        [&](const std::string& word) { return is_tracked(root, word); });
    const bool lacks_packages = program.name.starts_with("python") && has_python_packages(root);
    if (has_script && !lacks_packages) program.build = "true";
    return program;
  }
  if (is_tracked(root, file)) {
    program.build = "true";
    return program;
  }
  std::error_code code;
  for (const char* makefile : {"Makefile", "makefile", "GNUmakefile"})
    if (program.build.empty() && fs::exists(root / makefile, code)) program.build = "make";
  if (program.build.empty() && fs::exists(root / "CMakeLists.txt", code)) build_by_cmake(program, {}, {});
  program.any_runner = !program.build.empty() && !has_gpu_code(root);
  return program;
}

}  // namespace harness
