// `harness bisect`: the first commit for which cases are worse than at a good one, by verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/bisect/bisect_search.h"
#include "harness/cli/bisect/commit_line.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/options/device_option.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/provenance/build_commit.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr int exit_range = 3;  // the culprit is one of several commits

struct BisectArguments {
  std::string suite;
  std::string good;
  std::string bad = "HEAD";
  std::string pattern;
  std::string metric;
  std::string build;
  DeviceOption device;
  StoreOption store;
  BisectLimits limits;
  PolicyOptions policy;
  OutputOptions output;
};

Result<BisectMeasuring> how_to_measure(const BisectArguments& arguments) {
  const Checked<Suite> suite = load_repository_suite(arguments.suite);
  if (!suite) return fail(suite.error().front());
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return fail(ErrorKind::usage, "this repository has no working tree", "run inside a checkout");
  std::error_code code;
  const fs::path file = fs::weakly_canonical(fs::absolute(arguments.suite), code).lexically_relative(*root);
  if (file.empty() || *file.begin() == "..")
    return fail(ErrorKind::usage, Location{arguments.suite}, "lies outside the repository",
                "a suite is checked out with each commit; put it into the repository");
  const fs::path folder = fs::weakly_canonical(fs::current_path(), code).lexically_relative(*root);
  const std::string build =
      arguments.build.empty() ? build_command(*suite, file.parent_path(), default_build) : arguments.build;
  return BisectMeasuring{file.string(),    suite->identity.name,  arguments.pattern,
                         arguments.metric, arguments.device.text, build,
                         folder.string()};
}

// Reports a misspelt --case before building, if the suite here is the bad commit's and can be planned.
Status check_pattern(const BisectArguments& arguments, const BisectMeasuring& how, const std::string& bad) {
  const std::string& pattern = arguments.pattern;
  const Result<std::string> here = read_file(arguments.suite), there = file_at(".", bad, how.suite_file);
  if (pattern.empty() || !here || !there || *here != *there) return {};
  SuiteOptions options;
  options.suite = arguments.suite;
  options.device = arguments.device;
  const Checked<Prepared> prepared = prepare(options);
  if (!prepared) return {};
  std::vector<std::string> ids;
  for (const PlannedCase& one : prepared->plan.cases) ids.push_back(one.id);
  const auto matches = [&](const std::string& wanted) {
    return std::any_of(ids.begin(), ids.end(),
                       [&](const std::string& id) { return wildcard_match(wanted, id); });
  };
  const bool benchmark =
      std::any_of(prepared->plan.cases.begin(), prepared->plan.cases.end(),
                  [&](const PlannedCase& one) { return one.program && pattern.starts_with(one.id + "/"); });
  if (benchmark || matches(pattern)) return {};
  const std::string wider = "*" + pattern + "*";
  return fail(ErrorKind::usage, fmt::format("--case: the suite has no case `{}`", printable(pattern)),
              matches(wider) ? fmt::format("a pattern covers the whole name: write {}", shell_quoted(wider))
                             : printable(suggestion(pattern, ids)));
}

Result<std::optional<Seconds>> parse_search_time(const std::string& text) {
  const Result<Seconds> budget = text == "0" ? 0.0 : parse_duration(text);
  if (!budget) return fail(budget.error());
  return *budget;
}

// A bisection searches for a changed verdict. Options that only change the exit status are refused.
Status check_policy_of_bisect(const PolicyOptions& policy) {
  const std::string idle = policy.given({"--allow", "--fail-on", "--waivers", "--no-waivers"});
  if (idle.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("{} has no effect on a bisection", idle),
              "it follows the verdict itself, whatever is waived or allowed: leave the option out");
}

int bisect_command(const BisectArguments& arguments) {
  const CommandFiles files{"", all_of({{arguments.suite}, store_files(arguments.store.url)})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const Status used = check_policy_of_bisect(arguments.policy); !used) return report_error(used.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  if (const Status repository = check_repository("."); !repository) return report_error(repository.error());
  const Result<BisectMeasuring> how = how_to_measure(arguments);
  if (!how) return report_error(how.error());
  const auto line = commit_line(arguments.good, arguments.bad);
  if (!line) return report_error(line.error());
  if (const Status known = check_pattern(arguments, *how, line->back().hash); !known)
    return report_error(known.error());
  const auto store = Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  const InterruptGuard guard;
  if (const auto root = repository_root(".")) remove_stale_worktrees(*root);
  Result<std::optional<BisectReport>> found = search_culprit(**store, *how, arguments.limits, *policy, *line);
  if (!found) return report_error(found.error());
  if (!*found) {
    fmt::print(stderr, "interrupted: what was measured is in the store; repeat the command to go on\n");
    return exit_interrupted;
  }
  BisectReport& report = **found;
  report.suite = how->suite;
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::bisect_document(report), format, style);
      },
      report.culprits.size() == 1 ? exit_ok : exit_range);
}

}  // namespace

void add_bisect(Commands& commands) {
  auto& [command, arguments] =
      commands.add("bisect", "Find the commit that made cases worse, by verdict", bisect_command);
  command.add_option("suite", arguments.suite, "suite file (YAML) in the repository")
      ->required()
      ->type_name("SUITE");
  command.add_option("--good", arguments.good, "commit that is good, to compare with")
      ->required()
      ->type_name("REV");
  command.add_option("--bad", arguments.bad, "later commit that is worse")
      ->capture_default_str()
      ->type_name("REV");
  command.add_option("--case", arguments.pattern, "only cases whose name matches")->type_name("WILDCARD");
  command.add_option("--metric", arguments.metric, "only this metric, even where it decides nothing")
      ->type_name("NAME");
  command
      .add_option("--build", arguments.build,
                  "shell command that builds a commit, run in its worktree; default: the suite's `build`, or "
                  "ci/bootstrap.sh")
      ->type_name("COMMAND");
  arguments.device.add_to(command);
  command
      .add_option("--max-steps", arguments.limits.max_steps, "largest number of commits to test; 0: no limit")
      ->check(whole_number(0, 1000))
      ->type_name("N");
  command
      .add_option("--max-processes", arguments.limits.max_processes,
                  "largest number of processes for a commit that is inconclusive with fewer")
      ->capture_default_str()
      ->check(whole_number(3, 1000))
      ->type_name("N");
  add_typed(command, "--budget", arguments.limits.budget, parse_search_time,
            "begin no further commit when so much time has passed, and tell what is left; default: no limit")
      ->type_name("DURATION");
  arguments.store.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "The search follows first parents; a merge is one step. A commit whose build or measurement fails is\n"
      "skipped. All records stay in the store, so repeating the command continues the search.\n"
      "Exit status: 0 one commit found, 2 usage, 3 a range of commits, 4 nothing to find, 130 interrupted.");
  add_examples(command, {"harness bisect suite.yaml --good v1.2 --build 'make -j8'"});
}

}  // namespace harness
