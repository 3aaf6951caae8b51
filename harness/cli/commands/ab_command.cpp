// `harness ab`: two commits built in worktrees, or two folders built before, measured together, compared.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/ab/ab_measure.h"
#include "harness/cli/ab/ab_side.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/cli/programs/build_commit.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/git.h"
#include "harness/suite/load_suite.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

struct Arguments {
  PlanArguments plan;
  std::string baseline = "main";
  std::string current = "HEAD";
  std::string baseline_build;  // folders; both or none
  std::string current_build;
  std::string build;
  std::string store = default_store;
  std::string wait;
  std::string clocks;  // of --lock-clocks
  std::string pair = "auto";
  bool quiet = false;
  PolicyArguments policy;
  OutputArguments output;
};

struct Sides {
  AbSide baseline;
  AbSide current;
};

Result<std::string> commit_of(const char* option, const std::string& revision) {
  Result<std::string> commit = resolve_revision(".", revision);
  if (!commit)
    return fail(commit.error().kind, fmt::format("{}: {}", option, commit.error().message),
                commit.error().advice);
  return commit;
}

Result<AbOptions> options_of(const Arguments& arguments) {
  const Checked<Suite> suite = load_suite(arguments.plan.suite);
  if (!suite) return fail(suite.error().front());
  const std::optional<fs::path> root = repository_root(".");
  if (!root) return fail(ErrorKind::usage, "this repository has no working tree", "run inside a checkout");
  std::error_code code;
  const auto below_root = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path), code).lexically_relative(*root);
  };
  AbOptions options{arguments.plan, arguments.build, below_root(arguments.plan.suite),
                    below_root(fs::current_path())};
  if (options.suite_file.empty() || *options.suite_file.begin() == "..")
    return fail(ErrorKind::usage, Location{arguments.plan.suite}, "lies outside the repository",
                "a suite is checked out with each commit; put it into the repository");
  if (options.build.empty()) options.build = suite->build.empty() ? default_build : suite->build;
  return options;
}

// Both builds, or all that stands between, a side each. std::nullopt: interrupted.
Checked<std::optional<Sides>> make_sides(const Arguments& arguments, const AbOptions& options) {
  const auto refused = [](const Error& error) { return tl::unexpected(std::vector<Error>{error}); };
  const Result<std::string> before = commit_of("--baseline", arguments.baseline);
  if (!before) return refused(before.error());
  const Result<std::string> after = commit_of("--current", arguments.current);
  if (!after) return refused(after.error());
  if (arguments.current == "HEAD" && head_revision(".").dirty)
    fmt::print(stderr, "warning: A/B measures commits; the uncommitted changes here are not measured\n");
  Result<AbSide> baseline = make_side("baseline", arguments.baseline, *before);
  if (!baseline) return refused(baseline.error());
  Result<AbSide> current = make_side("current", arguments.current, *after);
  if (!current) return refused(current.error());
  std::vector<Error> errors;
  for (AbSide* side : {&*baseline, &*current}) {
    const Result<bool> ready = ready_side(*side, options);
    if (!ready)
      errors.push_back(ready.error());
    else if (!*ready)
      return std::nullopt;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  agree_on_sampling(baseline->prepared.plan, current->prepared.plan);
  return Sides{std::move(*baseline), std::move(*current)};
}

// The folders that were built before: nothing of git is needed, and both have the suite that is here.
Checked<std::optional<Sides>> find_sides(const Arguments& arguments) {
  if (const Checked<Suite> suite = load_suite(arguments.plan.suite); !suite)
    return tl::unexpected(suite.error());  // both builds would say so
  std::vector<Error> errors;
  Result<AbSide> baseline = side_built_before("baseline", arguments.baseline_build);
  Result<AbSide> current = side_built_before("current", arguments.current_build);
  for (Result<AbSide>* side : {&baseline, &current}) {
    if (!*side) {
      errors.push_back(side->error());
      continue;
    }
    const Result<bool> ready = ready_side_built_before(**side, arguments.plan);
    if (!ready)
      errors.push_back(ready.error());
    else if (!*ready)
      return std::nullopt;
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  agree_on_sampling(baseline->prepared.plan, current->prepared.plan);
  return Sides{std::move(*baseline), std::move(*current)};
}

// Every device that either side measures on.
Prepared both_of(const Sides& sides) {
  Prepared both = sides.current.prepared;
  const Prepared& baseline = sides.baseline.prepared;
  both.plan.cases.insert(both.plan.cases.end(), baseline.plan.cases.begin(), baseline.plan.cases.end());
  both.devices.insert(baseline.devices.begin(), baseline.devices.end());
  both.identities.insert(baseline.identities.begin(), baseline.identities.end());
  return both;
}

Comparison compare_sides(const AbRecords& records, const Policy& policy, const Arguments& arguments) {
  Comparison comparison = compare(records.baseline, records.current, policy);
  const auto described = [](const Record& record, const std::string& revision, const std::string& folder) {
    const std::string what =
        folder.empty() ? fmt::format("{} ({})", record.revision.commit.substr(0, 10), printable(revision))
                       : fmt::format("build {}", printable(folder));
    return fmt::format("{}, record {}", what, record.id.substr(0, 8));
  };
  comparison.baseline.described = described(records.baseline, arguments.baseline, arguments.baseline_build);
  comparison.current.described = described(records.current, arguments.current, arguments.current_build);
  return comparison;
}

Render render_of(const Comparison& comparison, const AbRecords& records) {
  return [&](Format format, const Style& style) {
    return render_judged(comparison, records.baseline, records.current, format, style);
  };
}

int conclude(Store& store, const AbRecords& records, const Policy& policy, const Arguments& arguments) {
  const Comparison comparison = compare_sides(records, policy, arguments);
  const std::string verdict(name_of(verdict_without_waivers(comparison.rows)));
  if (const Status kept = store.set_verdict(records.current.id, verdict); !kept)
    return report_error(kept.error());
  const int status = exit_code(comparison);
  explain_status(comparison, status);
  return emit(arguments.output, render_of(comparison, records), status);
}

int stopped(const char* what) {
  fmt::print(stderr, "interrupted: {}\n", what);
  return exit_interrupted;
}

// How both are measured together: in one process where that is possible, unless the user knows better.
Result<std::optional<PairedBuilds>> choose_pairing(const Sides& sides, const Arguments& arguments) {
  const Status turns = can_take_turns(sides.baseline, sides.current);
  if (arguments.pair == "session") {
    if (!turns) return fail(turns.error());
    return std::nullopt;
  }
  Result<PairedBuilds> pair = pair_of(sides.baseline, sides.current);
  if (pair) return std::optional<PairedBuilds>(std::move(*pair));
  if (arguments.pair == "process" || !turns)
    return fail(pair.error().kind, pair.error().where,
                (turns ? "--pair process: " : "") +
                    ("both builds cannot be measured in one process: " + pair.error().message),
                pair.error().advice);
  if (InterruptGuard::interrupted()) return std::nullopt;
  const std::string where = to_string(pair.error().where);
  fmt::print(stderr, "measuring in processes that take turns, not in one process: {}{}{}\n", where,
             where.empty() ? "" : ": ", pair.error().message);
  return std::nullopt;
}

int measure_and_judge(Store& store, const Sides& sides, const Policy& policy, const Arguments& arguments) {
  Prepared both = both_of(sides);
  const auto locks = lock_devices(both, arguments.wait);
  if (!locks) return report_error(locks.error());
  auto clocks = lock_clocks(both, arguments.clocks);
  if (!clocks) return report_error(clocks.error());
  Result<std::optional<PairedBuilds>> pair = choose_pairing(sides, arguments);
  if (InterruptGuard::interrupted()) return stopped("nothing was measured");
  if (!pair) return report_error(pair.error());
  AbMeasuring how;
  how.pair = std::move(*pair);
  how.quiet = arguments.quiet;
  how.facts = both.facts;
  how.partial = !arguments.plan.filters.empty() || !arguments.plan.tags.empty();
  // Should it be killed: what a CI reads must say that it did not end.
  how.on_begin = [&](const AbRecords& planned) {
    const std::vector<Summary> nothing = summarize(planned.current);
    emit_only({Format::junit}, arguments.output, [&](Format format, const Style& style) {
      return render_measured(planned.current, nothing, format, style);
    });
  };
  const Result<AbRecords> records = measure_both(store, sides.baseline, sides.current, how);
  clocks->clear();  // judging needs no locked clock
  if (!records) return report_error(records.error());
  if (!records->interrupted) return conclude(store, *records, policy, arguments);
  return stopped("what was measured is in the store, but not enough for a verdict");
}

// Every build must come with its own CUDA code.
Status check_environment() {
  if (environment::cuda_module().empty()) return {};
  return fail(ErrorKind::usage,
              "HARNESS_CUDA_MODULE is set, so that both builds would measure the CUDA module that it names",
              "unset it for A/B runs");
}

// The sides, from commits or from folders. std::nullopt: interrupted.
Checked<std::optional<Sides>> sides_of(const Arguments& arguments) {
  if (!arguments.current_build.empty()) return find_sides(arguments);
  const auto refused = [](const Error& error) { return tl::unexpected(std::vector<Error>{error}); };
  const Result<AbOptions> options = options_of(arguments);
  if (!options) return refused(options.error());
  if (const auto root = repository_root(".")) remove_stale_worktrees(*root);
  return make_sides(arguments, *options);
}

int ab_command(const Arguments& arguments) {
  if (const Status checked = check_environment(); !checked) return report_error(checked.error());
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Policy> policy = make_policy(arguments.policy);
  if (!policy) return report_error(policy.error());
  if (arguments.current_build.empty())
    if (const Status repository = check_repository("."); !repository) return report_error(repository.error());
  const Checked<Policy> complete = with_waivers(*policy, arguments.policy, arguments.plan.suite);
  if (!complete) return report_errors(complete.error());
  const auto store = Store::open(arguments.store);
  if (!store) return report_error(store.error());
  const InterruptGuard guard;
  const Checked<std::optional<Sides>> sides = sides_of(arguments);
  if (!sides) return report_errors(sides.error());
  if (*sides) return measure_and_judge(**store, **sides, *complete, arguments);
  return stopped("nothing was measured");
}

}  // namespace

void add_ab(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("ab", "Build two commits, measure them together and judge one by the other");
  auto arguments = std::make_shared<Arguments>();
  add_plan_options(*command, arguments->plan);
  command->add_option("--baseline", arguments->baseline, "commit to judge by")
      ->capture_default_str()
      ->type_name("REV");
  command->add_option("--current", arguments->current, "commit to judge")
      ->capture_default_str()
      ->type_name("REV");
  CLI::Option* const before =
      command
          ->add_option("--baseline-build", arguments->baseline_build,
                       "folder with bin/ and lib/ that was built before, instead of a commit")
          ->type_name("DIR");
  CLI::Option* const after =
      command->add_option("--current-build", arguments->current_build, "likewise; both or none")
          ->type_name("DIR")
          ->needs(before);
  before->needs(after);
  command
      ->add_option(
          "--build", arguments->build,
          "shell command that builds a commit, run in its worktree; default: the suite's `build`, or "
          "ci/bootstrap.sh")
      ->type_name("COMMAND");
  command->add_option("--store", arguments->store, "where records are kept: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  command
      ->add_option(
          "--pair", arguments->pair,
          "process: both builds in one process; session: in processes that take turns; auto: the first "
          "where it is possible")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "process", "session"}));
  command->add_flag("--quiet", arguments->quiet, "no progress line");
  add_wait_option(*command, arguments->wait);
  add_clock_option(*command, arguments->clocks);
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output);
  command->footer(
      "Each commit's own suite says what is measured of it; sampling is the current one's. The two records "
      "are\n"
      "kept in the store and never become the baseline of another run: name them by their ids.\n"
      "Exit status: 0 no regression, 1 regressed, 2 usage or a build that fails, 3 inconclusive, 4 missing "
      "on\n"
      "a side, 5 a case failed or computed a wrong result, 130 interrupted.\n"
      "Example: harness ab suites/fusion.yaml --baseline main --build 'cmake --build build'");
  command->callback([&chosen, arguments] { chosen = [arguments] { return ab_command(*arguments); }; });
}

}  // namespace harness
