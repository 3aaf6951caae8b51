#include "harness/cli/declared/harmless_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/options/output_options.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

// In CI the store's name counts from the merge base, as all of the file does.
constexpr std::array<std::string_view, 18> harmless{
    "--color",          "--commit-url", "--format", "--height", "--html",       "--lock-clocks",
    "--markdown-limit", "--output",     "--png",    "--quiet",  "--record-url", "--report",
    "--require-gpu",    "--slurm-cpus", "--store",  "--theme",  "--wait",       "--width"};

bool is_inside(const fs::path& file, const fs::path& top) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, code), code);
  const fs::path below = whole.lexically_relative(fs::weakly_canonical(fs::absolute(top, code), code));
  return !code && !below.empty() && *below.begin() != ".." && *below.begin() != ".git";
}

// The files that a value of the option names; none where it is no option of an output.
Result<std::vector<std::string>> files_of(std::string_view option, const std::string& value) {
  if (option == "--output" || option == "--html") return std::vector<std::string>{value};
  if (option != "--report") return std::vector<std::string>{};
  std::vector<ReportTarget> targets;
  if (const Status added = add_targets(targets, value); !added) return fail(added.error());
  std::vector<std::string> files;
  for (const ReportTarget& target : targets) files.push_back(target.path);
  return files;
}

}  // namespace

bool is_harmless(std::string_view option) {
  return std::find(harmless.begin(), harmless.end(), option) != harmless.end();
}

Status check_stays_in_tree(std::string_view option, const std::string& value, const fs::path& top) {
  const Result<std::vector<std::string>> files = files_of(option, value);
  if (!files) return {};  // the command line's parser will say so
  for (const std::string& file : *files)
    if (file != "-" && !is_inside(file, top))
      return fail(ErrorKind::usage, fmt::format("{}: {} lies outside this tree", option, printable(file)),
                  "name a file of this tree, or give the option on the command line");
  return {};
}

}  // namespace harness
