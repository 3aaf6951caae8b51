#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/measuring/replay_plan.h"
#include "harness/cli/measuring/require_gpu.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/model/codec.h"
#include "harness/store/git.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct RunArguments {
  SuiteOptions plan;
  StoreOption store;
  std::string file;
  std::string against;
  std::string commit;
  bool resume = false;
  bool require_gpu = false;
  bool profile = false;
  MeasuringOptions measuring;
  ClockOption clocks;
  LooksOption looks;
  BudgetOption budget;
  PolicyOptions policy;
  OutputOptions output;
};

// A run once everything is checked.
struct RunJob {
  const RunArguments& arguments;
  Prepared prepared;
  Policy policy;  // with its waivers
  std::unique_ptr<Store> store;
  Reproduction made_by;
};

// Cases that this run was told to leave out (--filter, --tag, --device) are not removed cases: the baseline
// loses them as well.
void cut_to_plan(Record& baseline, const RunJob& job) {
  std::erase_if(baseline.cases,
                [&](const CaseRecord& one) { return job.prepared.left_out_devices.contains(one.device); });
  if (!job.arguments.plan.selects()) return;
  std::set<std::string> planned;
  for (const PlannedCase& one : job.prepared.plan.cases) planned.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !planned.contains(one.id); });
}

// Until the run ends, its JUnit file says that no case was measured. So a CI never reads an older run's file
// as the result of a run that was killed.
void write_unfinished(const Record& record, const RunJob& job) {
  const std::vector<Summary> summaries = summarize(record);
  emit_only({Format::junit}, job.arguments.output, [&](Format format, const Style& style) {
    return render_measured(record, summaries, format, style, job.made_by);
  });
}

bool any_failed(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::measured && one.outcome != Outcome::skipped;
  });
}

// The table of what was measured. Returns exit_ok unless something could not be written.
int show(const Record& record, const RunJob& job, bool interrupted) {
  OutputOptions output = job.arguments.output;
  if (!job.arguments.against.empty() && !interrupted) {  // the reports asked for are the comparison's
    output.reports.clear();
    if (output.format != Format::terminal) return exit_ok;
  }
  const std::vector<Summary> summaries = summarize(record);
  const auto render = [&](Format format, const Style& style) {
    return render_measured(record, summaries, format, style, job.made_by);
  };
  return emit(output, render, exit_ok);
}

// The suite's own modules are known once it is read.
CommandFiles files_of(const RunArguments& arguments, const std::vector<std::string>& modules) {
  return {arguments.file, all_of({plan_files(arguments.plan),
                                  modules,
                                  store_files(arguments.store.url),
                                  {arguments.policy.waivers_file(arguments.plan.suite), arguments.against}})};
}

// Everything that can be wrong is said before anything is measured.
Status check_before_measuring(const RunArguments& arguments, const Prepared& prepared) {
  if (arguments.require_gpu)
    if (const Status checked = check_gpu_can_be_used(prepared); !checked) return checked;
  if (const Status spared = check_outputs(arguments.output, files_of(arguments, prepared.plan.modules));
      !spared)
    return spared;
  if (!arguments.file.empty())
    if (const Status writable = check_writable(arguments.file); !writable) return writable;
  const std::string& against = arguments.against;
  const bool names_record = against.find_first_not_of("0123456789abcdef-") == std::string::npos;
  if (against.empty() || names_record || std::filesystem::exists(against)) return {};
  if (const Result<std::string> commit = resolve_revision(".", against); !commit) return fail(commit.error());
  return {};
}

// The baseline that judges this run.
BaselineChoice baseline_of(const Record& record, const RunJob& job) {
  BaselineChoice choice;
  choice.name = job.arguments.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.adapt = [&](Record& baseline) { cut_to_plan(baseline, job); };
  return choice;
}

int judge_run(const RunJob& job, const Record& record, const TopUp& topped_up) {
  Store& store = *job.store;
  const Result<Selected> current = select_stored(store, record.id);
  if (!current) return report_error(current.error());
  BaselineChoice choice = baseline_of(record, job);
  choice.on_verdict = [&](Verdict verdict) {
    return store.set_verdict(record.id, std::string(name_of(verdict)));
  };
  choice.annotate = [&](Comparison& comparison) { tell(topped_up, comparison); };
  return judge_by_baseline(store, choice, *current, with_learned(store, job.policy, current->record),
                           job.arguments.output, job.made_by);
}

// Continues the cases that the comparison would leave undecided. Without a baseline there is nothing to do:
// judging will say so.
Result<TopUp> continue_undecided(const RunJob& job, Record& record) {
  const RunArguments& arguments = job.arguments;
  if (arguments.against.empty()) return TopUp{};
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, job);
  Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select);
  if (!baseline) return TopUp{};
  choice.adapt(baseline->record);
  const Policy complete = with_learned(*job.store, job.policy, record);
  Result<TopUp> done = top_up(*job.store, record,
                              {job.prepared.plan, job.prepared, baseline->record, complete,
                               arguments.budget.budget, arguments.measuring.quiet});
  if (done && done->interrupted)  // --continue takes it up
    if (const Status kept = job.store->finish(record.id, RunState::interrupted); !kept)
      return fail(kept.error());
  return done;
}

// The table, the record's file, and how the measuring itself went; then the verdict.
int conclude(const RunJob& job, const Record& record, const TopUp& topped_up) {
  const RunArguments& arguments = job.arguments;
  const int shown = show(record, job, false);
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(record)); !written)
      return report_error(written.error());
  int status = any_failed(record) ? exit_failed : exit_ok;
  if (arguments.require_gpu)
    if (const Status used = check_gpu_was_used(record); !used)
      status = std::max(status, report_error(used.error()));
  if (!arguments.against.empty()) status = std::max(status, judge_run(job, record, topped_up));
  return status == exit_ok ? shown : status;
}

int measure_and_judge(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  const BeginOptions begin{arguments.commit, arguments.resume, is_partial(job.prepared, arguments.plan),
                           !arguments.looks.looks};
  Result<MeasuredRecord> measured = measure_record(
      *job.store, job.prepared, {begin, arguments.measuring, arguments.clocks, [&](const Record& record) {
                                   write_unfinished(record, job);
                                 }});
  if (!measured) return report_error(measured.error());
  Record& record = measured->run.record;
  Result<TopUp> topped_up = TopUp{};
  if (!measured->interrupted) topped_up = continue_undecided(job, record);
  if (!topped_up) return report_error(topped_up.error());
  measured->clocks.clear();  // judging needs no locked clock
  if (!measured->interrupted && !topped_up->interrupted) return conclude(job, record, *topped_up);
  show(record, job, true);
  fmt::print(stderr, "interrupted: {} results are kept; repeat the command with --continue for the rest\n",
             measured_pairs(record).size());
  return exit_interrupted;
}

// While a worker opens a GPU, this process hashes the program; and measuring begins while that worker ends. A
// replay for a profiler opens the device in this process instead, and needs neither.
Meanwhile beside_probes(const RunArguments& arguments) {
  if (arguments.profile) return {};
  return {[] { this_tool(); }, std::make_shared<EndingWorkers>()};
}

int run_command(const RunArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_outputs(arguments.output, files_of(arguments, {})); !checked)
    return report_error(checked.error());
  if (const Status used = arguments.policy.check_used(arguments.against, "--against"); !used)
    return report_error(used.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  Checked<Prepared> prepared = prepare(arguments.plan, beside_probes(arguments));
  if (!prepared) return report_errors(prepared.error());
  if (arguments.profile) return replay_for_profiler(*prepared);
  declare_looks(prepared->plan, arguments.looks.looks, !arguments.against.empty());
  if (const Status checked = check_before_measuring(arguments, *prepared); !checked)
    return report_error(checked.error());
  Checked<Policy> complete = arguments.policy.with_waivers(*policy, arguments.plan.suite);
  if (!complete) return report_errors(complete.error());
  auto store = Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  RunJob job{arguments, std::move(*prepared), std::move(*complete), std::move(*store),
             Reproduction(line, arguments.store, arguments.plan.device, arguments.against)};
  return measure_and_judge(job);
}

}  // namespace

void add_run(Commands& commands) {
  auto& [command, arguments] =
      commands.add("run", "Measure a suite into the store and print the table", run_command);
  arguments.plan.add_to(command);
  arguments.store.add_to(command);
  const auto results = {
      command.add_option("--output", arguments.file, "also write the record, raw samples and all")
          ->type_name("FILE"),
      command.add_option("--against", arguments.against, "then compare with this revision or record file")
          ->type_name("REV|FILE"),
      command
          .add_option("--commit", arguments.commit,
                      "commit that this tree is, where its repository is not here")
          ->type_name("HASH"),
      command.add_flag("--continue", arguments.resume,
                       "finish the newest interrupted run of this suite and revision"),
      command.add_flag("--require-gpu", arguments.require_gpu,
                       "a CUDA case that cannot run is an error, not a skip")};
  CLI::Option* profile =
      command.add_flag("--profile", arguments.profile,
                       "measure nothing: make the calls alone, for nsys, ncu or a debugger to look at");
  for (CLI::Option* option : results) profile->excludes(option);
  arguments.measuring.add_to(command);
  arguments.clocks.add_to(command);
  arguments.looks.add_to(command);
  arguments.budget.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "Exit status: 0 measured (and nothing regressed), 2 usage, 5 a case failed or computed a wrong\n"
      "result, 130 interrupted; with --against also 1 regressed, 3 inconclusive, 4 baseline missing.");
}

}  // namespace harness
