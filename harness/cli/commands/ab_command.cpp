// `harness ab`: two commits built in worktrees, or two folders built before, measured together, compared.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/ab/ab_measure.h"
#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/store/git.h"
#include "harness/verdict/compare.h"
#include "harness/verdict/read/summarize.h"

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

Comparison compare_sides(const AbRecords& records, const Policy& policy, const AbArguments& arguments) {
  Comparison comparison = compare(records.baseline, records.current, policy);
  const auto found = [](const std::string& revision, const std::string& folder) -> Fact<SourceCode> {
    if (folder.empty()) return {SourceCode::ab_commit, {{"name", revision}}};
    return {SourceCode::ab_build, {{"folder", folder}}};
  };
  comparison.baseline.found = found(arguments.request.baseline, arguments.request.baseline_build);
  comparison.current.found = found(arguments.request.current, arguments.request.current_build);
  return comparison;
}

Render render_of(const Comparison& comparison, const AbRecords& records, const Reproduction& made_by) {
  return [&](Format format, const Style& style) {
    return render_judged(comparison, records.baseline, records.current, format, style, made_by);
  };
}

// Regressed cases were measured again as they came, unless that was not wanted.
void tell_confirmations(Comparison& comparison, bool wanted) {
  Confirming done;
  done.wanted = wanted;
  std::set<std::string> again;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.confirmation) continue;
    again.insert(row.case_id);
    done.processes = std::max(done.processes, row.confirmation->fresh.processes);
  }
  done.cases = static_cast<int>(again.size());
  done.open = static_cast<int>(red_cases(comparison).size());
  tell(done, comparison);
}

int conclude(Store& store, const AbRecords& records, const Policy& policy, const AbArguments& arguments,
             const Reproduction& made_by) {
  Comparison comparison = compare_sides(records, policy, arguments);
  tell_way(comparison);
  tell_confirmations(comparison, !arguments.look.no_confirm);
  const std::string verdict(name_of(verdict_without_waivers(comparison.rows)));
  if (const Status kept = store.set_verdict(records.current.id, verdict); !kept)
    return report_error(kept.error());
  const int status = exit_code(comparison);
  explain_status(comparison, status);
  return emit(arguments.output, render_of(comparison, records, made_by), status);
}

int stopped(const char* what) {
  fmt::print(stderr, "interrupted: {}\n", what);
  return exit_interrupted;
}

int measure_and_judge(Store& store, const AbSides& sides, const Policy& policy, const AbArguments& arguments,
                      const Reproduction& made_by) {
  Prepared both = devices_of_both(sides);
  const auto locks = lock_devices(both, arguments.measuring.wait);
  if (!locks) return report_error(locks.error());
  auto clocks = lock_clocks(both, arguments.clocks);
  if (!clocks) return report_error(clocks.error());
  Result<std::optional<PairedBuilds>> pair = choose_pairing(sides, arguments.pair);
  if (InterruptGuard::interrupted()) return stopped("nothing was measured");
  if (!pair) return report_error(pair.error());
  AbMeasuring how;
  how.pair = std::move(*pair);
  how.quiet = arguments.measuring.quiet;
  how.facts = both.facts;
  how.partial = arguments.request.plan.selects();
  how.look = arguments.look.measure == MeasureChoice::changed;
  if (!arguments.look.no_confirm)
    how.red = [&](const AbRecords& measured) {
      return red_cases(compare_sides(measured, policy, arguments));
    };
  // Should it be killed: what a CI reads must say that it did not end.
  how.on_begin = [&](const AbRecords& planned) {
    const std::vector<Summary> nothing = summarize(planned.current);
    const Status begun = begin_outputs(arguments.output, [&](Format format, const Style& style) {
      return render_measured(planned.current, nothing, format, style, made_by);
    });
    if (!begun) report_error(begun.error());
  };
  const Result<AbRecords> records = measure_both(store, sides.baseline, sides.current, how);
  clocks->clear();  // judging needs no locked clock
  if (!records) return report_error(records.error());
  if (!records->interrupted) return conclude(store, *records, policy, arguments, made_by);
  return stopped("what was measured is in the store, but not enough for a verdict");
}

// The commit of a side, for its waivers.
RecordSource source_of(const AbSide& side) {
  RecordSource source;
  source.revision.commit = side.commit;
  return source;
}

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
  if (*sides) {
    if (const Status decided =
            decide_waivers(*complete, source_of((*sides)->baseline), source_of((*sides)->current));
        !decided)
      return report_error(decided.error());
    const Reproduction made_by(line, arguments.store, arguments.request.plan.device);
    return measure_and_judge(**store, **sides, *complete, arguments, made_by);
  }
  return stopped("nothing was measured");
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
