// `harness ab`: two commits built in worktrees, or two folders built before, measured together, compared.
#include <optional>
#include <string>
#include <utility>

#include "harness/base/environment.h"
#include "harness/cli/ab/judge_sides.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/git.h"

namespace harness {
namespace {

struct AbArguments {
  AbRequest request;
  StoreOption store;
  MeasuringOptions measuring;
  ClockOption clocks;
  PairMode pair = PairMode::automatic;
  LookOptions look;
  PolicyOptions policy;
  OutputOptions output;
};

// Every build must come with its own CUDA code.
Status check_environment() {
  if (environment::cuda_module().empty()) return {};
  return fail(ErrorKind::usage,
              "HARNESS_CUDA_MODULE is set, so that both builds would measure the CUDA module that it names",
              "unset it for A/B runs");
}

int ab_command(const AbArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_environment(); !checked) return report_error(checked.error());
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  if (!arguments.request.built_before())
    if (const Status repository = check_repository("."); !repository) return report_error(repository.error());
  Checked<Policy> complete = arguments.policy.with_waivers(*policy, arguments.request.plan.suite);
  if (!complete) return report_errors(complete.error());
  const auto store = Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const InterruptGuard guard;
  const Checked<std::optional<AbSides>> sides = make_sides(arguments.request);
  if (!sides) return report_errors(sides.error());
  if (!*sides) return stopped("nothing was measured");
  const AbRequest& request = arguments.request;
  const auto found = [](const std::string& revision, const std::string& folder) -> Fact<SourceCode> {
    if (folder.empty()) return {SourceCode::ab_commit, {{"name", revision}}};
    return {SourceCode::ab_build, {{"folder", folder}}};
  };
  const AbJudging how{arguments.pair,
                      arguments.measuring,
                      arguments.clocks,
                      arguments.look,
                      arguments.output,
                      std::move(*complete),
                      request.plan.selects(),
                      found(request.baseline, request.baseline_build),
                      found(request.current, request.current_build)};
  return judge_sides(**store, **sides, how, Reproduction(line, arguments.store, request.plan.device));
}

}  // namespace

void add_ab(Commands& commands) {
  auto& [command, arguments] =
      commands.add("ab", "Build two commits, measure them together and judge one by the other", ab_command);
  arguments.request.plan.add_to(command);
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
  arguments.measuring.add_to(command);
  arguments.clocks.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "Each commit's own suite names its cases; the current suite says how they are sampled. Both records\n"
      "stay in the store. They never become the baseline of another run: refer to them by id.\n"
      "Exit status: 0 no regression, 1 regressed, 2 usage or a build that fails, 3 inconclusive, 4 missing "
      "on\n"
      "a side, 5 a case failed or computed a wrong result, 130 interrupted.\n"
      "A build leaves build/release/bin/harness, or a plugin of the suite.\n"
      "Example: harness ab suites/fusion.yaml --baseline main --build ci/bootstrap.sh");
}

}  // namespace harness
