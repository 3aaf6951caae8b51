#include <fmt/format.h>

#include <cstdio>

#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/measuring/replay_plan.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/programs/watch_files.h"
#include "harness/cli/provenance/build_programs.h"
#include "harness/cli/run/few_processes.h"
#include "harness/cli/run/judge_run.h"
#include "harness/cli/run/keep_run.h"
#include "harness/cli/run/leave_out_unselected.h"
#include "harness/cli/run/plan_run.h"
#include "harness/cli/run/quick_calibration.h"
#include "harness/cli/run/tell_fitness.h"
#include "harness/model/device_kinds.h"
#include "harness/store/layered_store.h"

namespace harness {
namespace {

// The table, the record's file, and how the measuring itself went; then the verdict.
int conclude(const RunJob& job, const Record& record, const Continued& continued) {
  const RunArguments& arguments = job.arguments;
  const bool judged = !arguments.against.empty();
  int status = any_failed(record) ? exit_failed : exit_ok;
  if (judged && arguments.output.verbose) show_measured(record, job, true, status);
  status = worst_status(status, keep_file(arguments, record));
  status = worst_status(status, check_any_measured(record, job));
  if (arguments.plan.quick)
    fmt::print(stderr, "quick: nothing is kept; measure without --quick before you compare\n");
  status = worst_status(status, save_as(job, record));
  if (judged) return worst_status(status, judge_run(job, record, continued));
  show_measured(record, job, false, status);
  return status;
}

int measure_and_judge(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  measure_as_baseline(job);
  const BeginOptions begin{arguments.commit, arguments.resume, is_partial(job.prepared, arguments.plan),
                           !arguments.looks.looks};
  MeasureRecordOptions how{begin, arguments.measuring, arguments.clocks,
                           [&](const Record& record) { write_unfinished(record, job); }};
  if (!arguments.against.empty())
    how.adapt = [&](Plan& plan, const Record& record) { decide_as_baseline(plan, job, record); };
  if (!arguments.against.empty() && arguments.look.measure == MeasureChoice::changed)
    how.spare = [&](Record& record) { return spare_identical(job, record); };
  Result<MeasuredRecord> measured = measure_record(*job.store, job.prepared, how);
  if (!measured) return report_error(measured.error());
  Record& record = measured->run.record;
  Result<Continued> continued = Continued{};
  if (!measured->interrupted) continued = continue_cases(job, record);
  if (!continued) return report_error(continued.error());
  measured->clocks.clear();  // judging needs no locked clock
  if (!measured->interrupted && !continued->interrupted()) return conclude(job, record, *continued);
  show_measured(record, job, false, exit_interrupted);
  const std::string rest = arguments.suites.size() == 1
                               ? std::string("the command")
                               : fmt::format("it for {} alone", shell_quoted(arguments.plan.suite));
  fmt::print(stderr, "interrupted: {} results are kept; repeat {} with --continue for the rest\n",
             measured_pairs(record).size(), rest);
  return exit_interrupted;
}

std::string host_line(const RunJob& job) {
  const auto cpu = job.prepared.devices.find(std::string(cpu_kind.name));
  return unfitness_line(job.prepared.plan, cpu == job.prepared.devices.end() ? "" : cpu->second);
}

// Builds the programs of a suite. Otherwise the status to end with.
std::optional<int> build_first(const RunJob& job) {
  if (job.arguments.resume) return std::nullopt;  // they were, before the run that is continued
  const Result<bool> built = build_programs(job.prepared.plan);
  if (!built) return report_error(built.error());
  if (!*built) return exit_interrupted;
  return std::nullopt;
}

int run_once(const RunArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_one_suite(arguments); !checked) return report_error(checked.error());
  if (const Status used = arguments.policy.check_used(arguments.against, "--against"); !used)
    return report_error(used.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  Checked<std::vector<RunJob>> planned = plan_suites(arguments, *policy, line);
  if (!planned) return report_errors(planned.error());
  std::vector<RunJob>& jobs = *planned;
  if (const Status selected = leave_out_unselected(jobs); !selected) return report_error(selected.error());
  int status = exit_ok;
  if (arguments.profile) {
    for (const RunJob& job : jobs) status = worst_status(status, replay_for_profiler(job.prepared));
    return status;
  }
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const bool quick = arguments.plan.quick;  // so no quick result is ever compared
  auto store = quick                       ? Store::empty("memory")
               : arguments.keep_in.empty() ? Store::open(arguments.store.url)
                                           : open_layered(arguments.keep_in, arguments.store.url);
  if (!store) return report_error(store.error());
  SuiteOutputs outputs(arguments.output, line.text(), jobs.size());
  std::string told;
  for (RunJob& job : jobs) {
    job.store = store->get();
    job.outputs = &outputs;
    if (const std::string line_of_host = host_line(job); !line_of_host.empty() && line_of_host != told)
      fmt::print(stderr, "{}\n", told = line_of_host);
    if (const std::string few = quick ? "" : few_processes_line(job.prepared.plan, job.policy); !few.empty())
      fmt::print(stderr, "{}\n", few);
    if (const std::string margin = margin_line(**store, job.prepared, job.policy); !margin.empty())
      fmt::print(stderr, "{}\n", margin);
    if (const std::optional<int> unbuilt = build_first(job)) {
      outputs.conclude_suite(job.suite(), *unbuilt);
      break;
    }
    const std::optional<int> beside = judge_by_base(job);
    outputs.conclude_suite(job.suite(), beside ? *beside : measure_and_judge(job));
    if (outputs.status() == exit_interrupted) break;
  }
  if (outputs.status() != exit_interrupted)
    if (const Status kept = keep_what_was_read(**store); !kept)
      fmt::print(stderr, "warning: {} lacks records that judged, so it alone cannot repeat the verdict: {}\n",
                 printable(arguments.keep_in), kept.error().message);
  return outputs.finish();
}

int run_command(const RunArguments& arguments, const CommandLine& line) {
  const FileStates before = states_of(arguments.watched);  // taken before measuring
  const int status = run_once(arguments, line);
  if (!arguments.watched.empty() && status != exit_interrupted)
    start_again_on_change(arguments.watched, before);
  return status;
}

Result<std::string> parse_name_of_record(const std::string& text) {
  std::string name = text.starts_with('@') ? text.substr(1) : text;
  if (const Status good = check_record_name(name); !good) return fail(good.error());
  return name;
}

}  // namespace

void add_run(Commands& commands) {
  auto& [command, arguments] =
      commands.add("run", "Measure suites, store the records and print the tables", run_command);
  arguments.plan.add_several_to(command, arguments.suites);
  arguments.store.add_to(command);
  const auto results = {
      command.add_option("--output", arguments.file, "also write the record with all raw samples")
          ->type_name("FILE"),
      command
          .add_option("--against", arguments.against, "then compare with this revision, record file or @NAME")
          ->type_name("REV|FILE"),
      command
          .add_option(
              "--build", arguments.build,
              "with --against: shell command that builds a commit, run in its worktree, where no stored "
              "record can judge; default: the suite's `build`")
          ->type_name("COMMAND"),
      command
          .add_option(
              "--keep-in", arguments.keep_in,
              "write the new records to this store, with copies of those that judged them, and only read "
              "--store; for pull requests")
          ->type_name("URL"),
      command
          .add_option("--commit", arguments.commit,
                      "commit of this source tree, if its repository is not here")
          ->type_name("HASH"),
      command.add_flag("--continue", arguments.resume,
                       "finish the newest interrupted run of this suite and revision"),
      add_typed(command, "--save-as", arguments.save_as, parse_name_of_record,
                "name the record of each suite, for --baseline @NAME; `records prune` spares it")
          ->type_name("NAME"),
      command.add_flag("--require-gpu", arguments.require_gpu,
                       "a CUDA case that cannot run is an error, not a skip")};
  command
      .add_option("--watch", arguments.watched,
                  "measure again whenever one of these files has changed, until Ctrl-C")
      ->type_name("FILE...");
  CLI::Option* quick = command.add_flag(
      "--quick", arguments.plan.quick,
      "a first look in seconds: 1 process and few samples a case; it is shown, not judged and not kept");
  for (CLI::Option* option : results)
    if (option->get_name() != "--require-gpu") quick->excludes(option);
  CLI::Option* profile = command.add_flag(
      "--profile", arguments.profile, "measure nothing: only make the calls, under nsys, ncu or a debugger");
  for (CLI::Option* option : results) profile->excludes(option);
  arguments.measuring.add_to(command);
  arguments.clocks.add_to(command);
  arguments.look.add_to(command);
  arguments.looks.add_to(command);
  arguments.budget.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  arguments.output.add_verbose_to(
      command, "with --against: also the tables of measured values, and reasons of all results");
  command.footer(
      "Exit status: 0 measured (and nothing regressed), 2 usage, 4 no case can run here, 5 a case failed or\n"
      "computed a wrong result, 130 interrupted; with --against also 1 regressed, 3 inconclusive, 4 "
      "baseline\n"
      "missing. The worst of several suites: 130, 2, 5, 1, 4, 3, 0.");
  add_examples(command, {"harness run suite.yaml",
                         "harness run suite.yaml --against main --report html=report.html,junit=report.xml"});
}

}  // namespace harness
