// `harness ab`: two commits built in worktrees, or two folders built before, measured together, compared.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/environment.h"
#include "harness/cli/ab/judge_sides.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/programs/command_suite.h"
#include "harness/cli/provenance/repository_suite.h"
#include "harness/cli/run/leave_out_unselected.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/git.h"

namespace harness {
namespace {

struct AbArguments {
  AbRequest request;  // without a suite
  std::vector<std::string> suites;
  std::string baseline_command, current_command;  // instead of suites; both or none
  StoreOption store;
  MeasuringOptions measuring;
  ClockOption clocks;
  PairMode pair = PairMode::automatic;
  LookOptions look;
  BudgetOption places{60};
  PolicyOptions policy;
  OutputOptions output;
};

// Each build must load its own CUDA module.
Status check_environment() {
  if (environment::cuda_module().empty()) return {};
  return fail(ErrorKind::usage,
              "HARNESS_CUDA_MODULE is set, so that both builds would measure the CUDA module that it names",
              "unset it for A/B runs");
}

// One suite of `arguments.suites`, or the suite without a file that the commands make.
struct AbSubject {
  std::string file;
  std::string name;
  Policy policy;
};

// A suite with both sides, or why they cannot be measured.
struct AbJob {
  AbSubject subject;
  Checked<AbSides> sides;

  [[nodiscard]] PlannedSuite planned() const {
    if (!sides) return {subject.file, {}};
    return {subject.file, {&sides->baseline.prepared, &sides->current.prepared}};
  }
};

// Builds and plans all suites. std::nullopt: interrupted.
std::optional<std::vector<AbJob>> make_jobs(const AbArguments& arguments, std::vector<AbSubject> subjects) {
  AbRequest request = arguments.request;
  request.plan.of_several = subjects.size() > 1;
  std::vector<AbJob> jobs;
  for (AbSubject& subject : subjects) {
    request.plan.suite = subject.file;
    request.accept_proposed = subject.policy.accept_proposed;
    Checked<std::optional<AbSides>> sides =
        subject.file.empty()
            ? sides_of_commands(request.plan, arguments.baseline_command, arguments.current_command)
            : make_sides(request);
    if (sides && !*sides) return std::nullopt;
    jobs.push_back({std::move(subject),
                    std::move(sides).map([](std::optional<AbSides>&& both) { return std::move(*both); })});
  }
  return jobs;
}

// Measures and judges by one suite. Returns its exit status.
int ab_suite(Store& store, const AbArguments& arguments, const AbJob& job,
             const std::shared_ptr<LoadedPairs>& loaded, SuiteOutputs& outputs, const Reproduction& made_by) {
  if (!job.sides) return report_errors(job.sides.error());
  const AbRequest& request = arguments.request;
  const bool commands = job.subject.file.empty();
  const auto found = [](const std::string& revision, const std::string& folder) -> Fact<SourceCode> {
    if (folder.empty()) return {SourceCode::ab_commit, {{"name", revision}}};
    return {SourceCode::ab_build, {{"folder", folder}}};
  };
  const auto shown = [](const std::string& command) -> Fact<SourceCode> {
    return {SourceCode::ab_command, {{"command", command}}};
  };
  AbJudging how{
      arguments.pair,
      arguments.measuring,
      arguments.clocks,
      arguments.look,
      job.subject.policy,
      request.plan.selects(),
      commands ? shown(arguments.baseline_command) : found(request.baseline, request.baseline_build),
      commands ? shown(arguments.current_command) : found(request.current, request.current_build)};
  how.loaded = loaded;
  how.place_budget = arguments.places.budget;
  return judge_sides(store, *job.sides, std::move(how), outputs, made_by);
}

// Suites, or two commands.
Status check_subject(const AbArguments& arguments) {
  const bool commands = !arguments.current_command.empty();
  if (commands && !arguments.suites.empty())
    return fail(ErrorKind::usage, "two commands need no suite", "leave the suite out, or both commands");
  if (commands || !arguments.suites.empty()) return {};
  return fail(ErrorKind::usage, "which suite?",
              "harness ab SUITE, or harness ab --baseline-command './old' --current-command './new'");
}

Checked<std::vector<AbSubject>> subjects_of(const AbArguments& arguments, const Policy& policy) {
  if (arguments.suites.empty()) return std::vector<AbSubject>{{"", command_name, policy}};
  std::vector<AbSubject> subjects;
  for (const std::string& file : arguments.suites) {
    const Checked<Suite> suite = load_repository_suite(file);
    if (!suite) return tl::unexpected(suite.error());
    Checked<Policy> complete = arguments.policy.with_waivers(policy, file);
    if (!complete) return tl::unexpected(complete.error());
    subjects.push_back({file, suite->identity.name, std::move(*complete)});
  }
  return subjects;
}

int ab_command(const AbArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_subject(arguments); !checked) return report_error(checked.error());
  if (const Status checked = check_environment(); !checked) return report_error(checked.error());
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  if (!arguments.request.built_before() && !arguments.suites.empty())
    if (const Status repository = check_repository("."); !repository) return report_error(repository.error());
  Checked<std::vector<AbSubject>> subjects = subjects_of(arguments, *policy);
  if (!subjects) return report_errors(subjects.error());
  const auto store = Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const InterruptGuard guard;
  std::optional<std::vector<AbJob>> jobs = make_jobs(arguments, std::move(*subjects));
  if (!jobs) return stopped("nothing was measured");
  if (const Status selected = leave_out_unselected(*jobs); !selected) return report_error(selected.error());
  const Reproduction made_by(line, arguments.store, arguments.request.plan.device);
  SuiteOutputs outputs(arguments.output, line.text(), jobs->size());
  const auto loaded = std::make_shared<LoadedPairs>();
  for (const AbJob& job : *jobs) {
    outputs.conclude_suite(job.subject.name, ab_suite(**store, arguments, job, loaded, outputs, made_by));
    if (outputs.status() == exit_interrupted) break;
  }
  return outputs.finish();
}

}  // namespace

void add_ab(Commands& commands) {
  auto& [command, arguments] =
      commands.add("ab", "Build two commits, measure them together and judge one by the other", ab_command);
  arguments.request.plan.add_several_to(command, arguments.suites)->required(false);
  command.add_option("--baseline", arguments.request.baseline, "commit to compare with")
      ->capture_default_str()
      ->type_name("REV");
  command.add_option("--current", arguments.request.current, "commit to judge")
      ->capture_default_str()
      ->type_name("REV");
  CLI::Option* const before =
      command
          .add_option("--baseline-build", arguments.request.baseline_build,
                      "folder with bin/ and lib/ that was built before, instead of a commit")
          ->type_name("DIR");
  CLI::Option* const after = command
                                 .add_option("--current-build", arguments.request.current_build,
                                             "the same for the current side; give both options or neither")
                                 ->type_name("DIR")
                                 ->needs(before);
  before->needs(after);
  CLI::Option* const old_command =
      command
          .add_option("--baseline-command", arguments.baseline_command,
                      "shell command to compare with, instead of a suite and commits")
          ->type_name("COMMAND");
  CLI::Option* const new_command =
      command.add_option("--current-command", arguments.current_command, "shell command to judge; give both")
          ->type_name("COMMAND")
          ->needs(old_command);
  old_command->needs(new_command);
  command
      .add_option("--build", arguments.request.build,
                  "shell command that builds a commit, run in its worktree; default: the suite's `build`, or "
                  "ci/bootstrap.sh")
      ->type_name("COMMAND");
  arguments.store.add_to(command);
  add_choice(command, "--pair", arguments.pair,
             "process: both builds in one process; session: in processes that take turns; auto: `process` "
             "where it is possible");
  arguments.look.add_to(command);
  arguments.places.add_to(command,
                          "time for each suite, to measure kernels with other code that pass or are "
                          "undecided at all places of it: "
                          "an estimate, exceeded by a quarter at most; 0s: none",
                          "1m");
  arguments.measuring.add_to(command);
  arguments.clocks.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  arguments.output.add_verbose_to(command);
  command.footer(
      "Each commit's own suite names its cases; the current suite says how they are sampled. Both records\n"
      "stay in the store. They never become the baseline of another run: refer to them by id.\n"
      "Exit status: 0 no regression, 1 regressed, 2 usage or a build that fails, 3 inconclusive, 4 missing "
      "on\n"
      "a side, 5 a case failed or computed a wrong result, 130 interrupted.\n"
      "A build leaves build/release/bin/harness, or a plugin of the suite.");
  add_examples(command,
               {"harness ab suite.yaml --baseline main",
                "harness ab --baseline-command './sort 1000' --current-command './sort 2000' --margin 2%"});
}

}  // namespace harness
