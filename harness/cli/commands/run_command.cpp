#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/lock_clocks.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/measuring/replay_plan.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/model/codec.h"
#include "harness/model/device_kinds.h"
#include "harness/report/words/cause_words.h"
#include "harness/store/git.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct RunArguments {
  PlanArguments plan;
  std::string store = default_store;
  std::string file;
  std::string against;
  std::string commit;
  bool resume = false;
  bool require_gpu = false;
  bool quiet = false;
  bool profile = false;
  std::string wait;
  std::string clocks;  // of --lock-clocks
  LookArguments looks;
  PolicyArguments policy;
  OutputArguments output;
};

// What this run was told to leave out (--filter, --tag, --device) is no removed case: the baseline is cut
// to what was left in.
void cut_to_plan(Record& baseline, const RunArguments& arguments, const Prepared& prepared) {
  std::erase_if(baseline.cases,
                [&](const CaseRecord& one) { return prepared.left_out_devices.contains(one.device); });
  if (arguments.plan.filters.empty() && arguments.plan.tags.empty()) return;
  std::set<std::string> planned;
  for (const PlannedCase& one : prepared.plan.cases) planned.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !planned.contains(one.id); });
}

// Less than the suite: its record must not stand in for a whole one.
bool is_partial(const RunArguments& arguments, const Prepared& prepared) {
  const auto left_out = [&](const PlannedCase& one) {
    return prepared.left_out_devices.contains(one.device);
  };
  return !arguments.plan.filters.empty() || !arguments.plan.tags.empty() ||
         std::any_of(prepared.plan.cases.begin(), prepared.plan.cases.end(), left_out);
}

Render render_of(const Record& record, const std::vector<Summary>& summaries) {
  return [&](Format format, const Style& style) { return render_measured(record, summaries, format, style); };
}

// What a CI reads as the result must not be another run's, nor nothing, should this one be killed: until
// it is replaced, the JUnit file says that no case was measured.
void write_unfinished(const Record& record, const RunArguments& arguments) {
  const std::vector<Summary> summaries = summarize(record);
  emit_only({Format::junit}, arguments.output, render_of(record, summaries));
}

// A record being measured: nobody else writes to it, or measures on its devices.
struct Measured {
  std::vector<DeviceLock> devices;
  std::vector<ClockLock> clocks;
  OpenRun run;
  bool interrupted = false;
};

// Measures the plan into the store. The result's record is as stored.
Result<Measured> measure(Store& store, Prepared& prepared, const RunArguments& arguments) {
  auto locks = lock_devices(prepared, arguments.wait);
  if (!locks) return fail(locks.error());
  auto clocks = lock_clocks(prepared, arguments.clocks);
  if (!clocks) return fail(clocks.error());
  Result<OpenRun> run = begin_run(
      store, prepared.plan,
      {arguments.commit, arguments.resume, is_partial(arguments, prepared), arguments.looks.looks.empty()});
  if (!run) return fail(run.error());
  Record& record = run->record;
  write_unfinished(record, arguments);
  const Result<RunReport> report = measure_into(store, record, prepared.plan, prepared, {arguments.quiet});
  if (!report) {
    if (const Status closed = store.finish(record.id, RunState::interrupted); !closed)
      report_error(closed.error());
    return fail(report.error());
  }
  if (!report->interrupted) {
    record.finished = utc_timestamp();
    if (const Status kept = store.update_header(record); !kept) return fail(kept.error());
  }
  const RunState state = report->interrupted ? RunState::interrupted : RunState::complete;
  if (const Status finished = store.finish(record.id, state); !finished) return fail(finished.error());
  Result<Record> stored = store.load(record.id);
  if (!stored) return fail(stored.error());
  record = std::move(*stored);
  return Measured{std::move(*locks), std::move(*clocks), std::move(*run), report->interrupted};
}

bool any_failed(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::measured && one.outcome != Outcome::skipped;
  });
}

// The table of what was measured. Returns exit_ok unless something could not be written.
int show(const Record& record, const RunArguments& arguments, bool interrupted) {
  OutputArguments output = arguments.output;
  if (!arguments.against.empty() && !interrupted) {  // the reports asked for are the comparison's
    output.reports.clear();
    if (output.format != "terminal") return exit_ok;
  }
  const std::vector<Summary> summaries = summarize(record);
  return emit(output, render_of(record, summaries), exit_ok);
}

Status check_arguments(const RunArguments& arguments, const Prepared& prepared) {
  const auto missing_gpu = prepared.unavailable_devices.find(std::string(cuda_kind.name));
  const bool wants_cuda = std::any_of(prepared.plan.cases.begin(), prepared.plan.cases.end(),
                                      [](const PlannedCase& one) { return is_gpu_kind(one.device); });
  if (arguments.require_gpu && missing_gpu != prepared.unavailable_devices.end())
    return fail(ErrorKind::environment, fmt::format("--require-gpu: {}", report::words(missing_gpu->second)),
                "run on a machine with an NVIDIA GPU and driver, with a build that has the CUDA module");
  if (arguments.require_gpu && wants_cuda)
    for (const PlannedCase& one : prepared.plan.cases)
      if (is_gpu_kind(one.device) && one.skip)
        return fail(ErrorKind::environment, one.where,
                    fmt::format("--require-gpu: {} is skipped: {}", one.id, report::words(*one.skip)),
                    "leave it out with --filter '!...', or build for this GPU with ci/bootstrap.sh");
  return {};
}

// The suite's own modules are known once it is read.
CommandFiles files_of(const RunArguments& arguments, const std::vector<std::string>& modules) {
  return {arguments.file, all_of({plan_files(arguments.plan),
                                  modules,
                                  store_files(arguments.store),
                                  policy_files(arguments.policy, arguments.plan.suite),
                                  {arguments.against}})};
}

// What can be wrong is said before anything is measured.
Status check_before_measuring(const RunArguments& arguments, const Prepared& prepared) {
  if (const Status checked = check_budget(arguments.looks); !checked) return checked;
  if (const Status checked = check_arguments(arguments, prepared); !checked) return checked;
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

// --require-gpu holds for what only turned out while measuring, too.
Status check_gpu_was_used(const Record& record) {
  for (const CaseRecord& one : record.cases)
    if (is_gpu_kind(one.device) && one.outcome == Outcome::skipped)
      return fail(ErrorKind::environment, one.where,
                  fmt::format("--require-gpu: {} was skipped: {}", printable(one.id), printable(one.reason)),
                  "leave it out with --filter '!...', or make the device available");
  return {};
}

// Which baseline this run is judged by.
BaselineChoice baseline_of(const Record& record, const RunArguments& arguments, const Prepared& prepared) {
  BaselineChoice choice;
  choice.name = arguments.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.adapt = [&](Record& baseline) { cut_to_plan(baseline, arguments, prepared); };
  return choice;
}

int judge_run(Store& store, const Record& record, const RunArguments& arguments, const Prepared& prepared,
              const Policy& policy, const TopUp& measured_on) {
  const Result<Selected> current = select_stored(store, record.id);
  if (!current) return report_error(current.error());
  BaselineChoice choice = baseline_of(record, arguments, prepared);
  choice.on_verdict = [&](Verdict verdict) {
    return store.set_verdict(record.id, std::string(name_of(verdict)));
  };
  choice.annotate = [&](Comparison& comparison) { tell(measured_on, comparison); };
  return judge(store, choice, *current, with_learned(store, policy, current->record), arguments.output);
}

// Measures on what the comparison would leave open. Without a baseline there is nothing to do: judging
// will say so.
Result<TopUp> measure_on(Store& store, Record& record, const RunArguments& arguments,
                         const Prepared& prepared, const Policy& policy) {
  if (arguments.against.empty()) return TopUp{};
  const Result<Selected> current = select_stored(store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, arguments, prepared);
  Result<Selected> baseline = select_baseline(store, choice.name, *current, choice.select);
  if (!baseline) return TopUp{};
  choice.adapt(baseline->record);
  const Policy complete = with_learned(store, policy, record);
  Result<TopUp> done = top_up(
      store, record, {prepared.plan, prepared, baseline->record, complete, arguments.looks, arguments.quiet});
  if (done && done->interrupted)  // --continue takes it up
    if (const Status kept = store.finish(record.id, RunState::interrupted); !kept) return fail(kept.error());
  return done;
}

// The table, the record's file, and how the measuring itself went; then the verdict.
int conclude(Store& store, const Record& record, const RunArguments& arguments, const Prepared& prepared,
             const Policy& policy, const TopUp& measured_on) {
  const int shown = show(record, arguments, false);
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(record)); !written)
      return report_error(written.error());
  int status = any_failed(record) ? exit_failed : exit_ok;
  if (arguments.require_gpu)
    if (const Status used = check_gpu_was_used(record); !used)
      status = std::max(status, report_error(used.error()));
  if (!arguments.against.empty())
    status = std::max(status, judge_run(store, record, arguments, prepared, policy, measured_on));
  return status == exit_ok ? shown : status;
}

// While a worker opens a GPU, what the record will want to know; and measuring begins beside the end of that
// worker. A profiler's replay opens the device here instead, and needs none of it.
Meanwhile beside_probes(const RunArguments& arguments) {
  if (arguments.profile) return {};
  return {[] { this_tool(); }, std::make_shared<EndingWorkers>()};
}

int run_command(const RunArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output, files_of(arguments, {})); !checked)
    return report_error(checked.error());
  if (const Status used = check_policy_is_used(arguments.policy, arguments.against, "--against"); !used)
    return report_error(used.error());
  const Result<Policy> policy = make_policy(arguments.policy);
  if (!policy) return report_error(policy.error());
  Checked<Prepared> prepared = prepare(arguments.plan, beside_probes(arguments));
  if (!prepared) return report_errors(prepared.error());
  if (arguments.profile) return replay_for_profiler(*prepared);
  if (const Status declared = declare_looks(prepared->plan, arguments.looks, !arguments.against.empty());
      !declared)
    return report_error(declared.error());
  if (const Status checked = check_before_measuring(arguments, *prepared); !checked)
    return report_error(checked.error());
  const Checked<Policy> complete = with_waivers(*policy, arguments.policy, arguments.plan.suite);
  if (!complete) return report_errors(complete.error());
  const auto store = Store::open(arguments.store);
  if (!store) return report_error(store.error());
  auto measured = measure(**store, *prepared, arguments);
  if (!measured) return report_error(measured.error());
  Record& record = measured->run.record;
  Result<TopUp> measured_on = TopUp{};
  if (!measured->interrupted) measured_on = measure_on(**store, record, arguments, *prepared, *complete);
  if (!measured_on) return report_error(measured_on.error());
  measured->clocks.clear();  // judging needs no locked clock
  if (!measured->interrupted && !measured_on->interrupted)
    return conclude(**store, record, arguments, *prepared, *complete, *measured_on);
  show(record, arguments, true);
  fmt::print(stderr, "interrupted: {} results are kept; repeat the command with --continue for the rest\n",
             measured_pairs(record).size());
  return exit_interrupted;
}

}  // namespace

void add_run(CLI::App& program, Action& chosen) {
  CLI::App* command = program.add_subcommand("run", "Measure a suite into the store and print the table");
  auto arguments = std::make_shared<RunArguments>();
  add_plan_options(*command, arguments->plan);
  command->add_option("--store", arguments->store, "where records are kept: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  command->add_option("--output", arguments->file, "also write the record, raw samples and all")
      ->type_name("FILE");
  command->add_option("--against", arguments->against, "then compare with this revision or record file")
      ->type_name("REV|FILE");
  command
      ->add_option("--commit", arguments->commit,
                   "commit that this tree is, where its repository is not here")
      ->type_name("HASH");
  command->add_flag("--continue", arguments->resume,
                    "finish the newest interrupted run of this suite and revision");
  command->add_flag("--require-gpu", arguments->require_gpu,
                    "a CUDA case that cannot run is an error, not a skip");
  command->add_flag("--quiet", arguments->quiet, "no progress line");
  add_profile_option(*command, arguments->profile);
  add_wait_option(*command, arguments->wait);
  add_clock_option(*command, arguments->clocks);
  add_looks_option(*command, arguments->looks);
  add_budget_option(*command, arguments->looks);
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output);
  command->footer(
      "Exit status: 0 measured (and nothing regressed), 2 usage, 5 a case failed or computed a wrong\n"
      "result, 130 interrupted; with --against also 1 regressed, 3 inconclusive, 4 baseline missing.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return run_command(*arguments); }; });
}

}  // namespace harness
