#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/files.h"
#include "harness/cli/ab/judge_beside.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/deciding/look_first.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/deciding_waivers.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/learned_policy.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/measuring/replay_plan.h"
#include "harness/cli/measuring/require_gpu.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/policy_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/programs/built_from.h"
#include "harness/cli/programs/watch_files.h"
#include "harness/measure/schedule/worker_process.h"
#include "harness/model/codec.h"
#include "harness/report/words/kernel_words.h"
#include "harness/store/git.h"
#include "harness/suite/plan/selection.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/check/proof.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct RunArguments {
  SuiteOptions plan;  // its suite: the one of `suites` that is measured
  std::vector<std::string> suites;
  StoreOption store;
  std::string file;
  std::string against;
  std::string build;
  std::string commit;
  std::string save_as;
  std::vector<std::string> watched;
  bool resume = false;
  bool require_gpu = false;
  bool profile = false;
  MeasuringOptions measuring;
  ClockOption clocks;
  LookOptions look;
  LooksOption looks;
  BudgetOption budget;
  PolicyOptions policy;
  OutputOptions output;
};

// The run of one suite once everything is checked.
struct RunJob {
  RunArguments arguments;
  Prepared prepared;
  Policy policy;  // with its waivers
  Store* store = nullptr;
  SuiteOutputs* outputs = nullptr;
  Reproduction made_by;

  [[nodiscard]] std::string suite() const { return prepared.plan.suite.name; }
};

// Cases that this run was told to leave out (--filter, --tag, --device) are not removed cases: the baseline
// loses them as well. A case that was not left out and is gone from the suite stays, and is missing.
void cut_to_selection(Record& baseline, const RunJob& job) {
  const SuiteOptions& options = job.arguments.plan;
  std::set<std::string_view> planned;
  for (const PlannedCase& one : job.prepared.plan.cases) planned.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) {
    return (!options.axes.empty() && !planned.contains(one.id)) ||
           job.prepared.left_out_devices.contains(one.device) ||
           !is_selected(one.id, one.tags, options.filter.patterns, options.tags);
  });
}

// Until the run ends, its files say that no case was measured. So nobody reads an older run's file as the
// result of a run that was killed.
void write_unfinished(const Record& record, const RunJob& job) {
  const std::string& file = job.arguments.file;
  Status begun = job.outputs->begin(job.suite(), measured_report(record, job.made_by));
  if (begun && !file.empty()) begun = write_file_atomically(file, encode(record));
  if (!begun) report_error(begun.error());
}

// A run that measured no case does not pass. It skips all if the device is missing or its driver does not
// load.
int check_any_measured(const Record& record, const RunJob& job) {
  const bool any = std::any_of(record.cases.begin(), record.cases.end(),
                               [](const CaseRecord& one) { return one.outcome != Outcome::skipped; });
  if (any || job.policy.allow_skipped || !job.arguments.against.empty()) return exit_ok;
  return report_error(
      {ErrorKind::missing,
       fmt::format("none of the {} cases can run here, so nothing was measured", record.cases.size()),
       {},
       "the table tells why; `--allow skipped` lets it pass"});
}

bool any_failed(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::measured && one.outcome != Outcome::looked_at &&
           one.outcome != Outcome::skipped;
  });
}

bool was_measured(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::looked_at && one.outcome != Outcome::skipped;
  });
}

// The table of what was measured. It is the suite's report unless a comparison follows.
void show(const Record& record, const RunJob& job, bool judged, int status) {
  const bool only_looked =
      !was_measured(record) && std::any_of(record.cases.begin(), record.cases.end(), was_looked_at);
  if (judged && only_looked) return;
  const MakeReport report = measured_report(record, job.made_by);
  if (judged)
    job.outputs->print(report);
  else
    job.outputs->add(job.suite(), report, status);
}

// The suite's own modules are known once it is read.
CommandFiles files_of(const RunArguments& arguments, const std::vector<std::string>& modules) {
  return {arguments.file, all_of({plan_files(arguments.plan),
                                  modules,
                                  store_files(arguments.store.url),
                                  {arguments.policy.waivers_file(arguments.plan.suite), arguments.against}})};
}

// Checks everything that can be checked before measuring.
Status check_before_measuring(const RunArguments& arguments, const Prepared& prepared) {
  if (arguments.require_gpu)
    if (const Status checked = check_gpu_can_be_used(prepared); !checked) return checked;
  if (const Status spared = check_outputs(arguments.output, files_of(arguments, prepared.plan.modules));
      !spared)
    return spared;
  if (!arguments.file.empty())
    if (const Status writable = check_writable(arguments.file); !writable) return writable;
  if (!arguments.policy.allows_stale())
    if (const Status built = check_built_from_head("."); !built) return built;
  return arguments.against.empty() ? Status() : check_side(arguments.store, "--against", arguments.against);
}

AbRequest base_request(const RunArguments& arguments) {
  AbRequest request;
  request.plan = arguments.plan;
  request.baseline = arguments.against;
  request.build = arguments.build;
  request.build = build_of(request);
  return request;
}

// The baseline that judges this run.
BaselineChoice baseline_of(const Record& record, const RunJob& job) {
  BaselineChoice choice;
  choice.name = job.arguments.against;
  choice.select.folder = ".";
  choice.select.suite = record.suite.name;
  choice.select = judged_by(with_learned(*job.store, job.policy, record), choice.select);
  if (base_request(job.arguments).build.empty())
    choice.advice_if_missing =
        "or name the command that builds a commit, as `build` in the suite or with --build, to have it built "
        "and "
        "measured here";
  choice.adapt = [&](Record& baseline) { cut_to_selection(baseline, job); };
  return choice;
}

// Looks at all cases before one is measured. Cases that do what the baseline's do are spared: their look is
// their result. Without a baseline all are measured: judging will say that there is none.
Result<SparedCases> spare_identical(const RunJob& job, Record& record) {
  const RunArguments& arguments = job.arguments;
  Result<Looks> looks =
      look_at(*job.store, record, job.prepared.plan, job.prepared, arguments.measuring.quiet);
  if (!looks) return fail(looks.error());
  if (looks->interrupted) return SparedCases{{}, true};
  // A continued run may hold looks already.
  const Record seen = with_looks(record, *looks);
  if (std::none_of(seen.cases.begin(), seen.cases.end(), was_looked_at)) return SparedCases{};
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, job);
  Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select);
  if (!baseline) return SparedCases{};
  choice.adapt(baseline->record);
  SparedCases spared{proven_cases(baseline->record, seen)};
  const std::size_t identical = spared.ids.size();
  for (const std::string& id : gated_beyond_proof(spared.ids, baseline->record, job.prepared.plan))
    spared.ids.erase(id);
  for (const auto& [id, result] : looks->results)
    if (spared.ids.contains(id))
      if (const Status kept = job.store->put(record.id, result); !kept) return fail(kept.error());
  fmt::print(stderr, "{}\n",
             report::look_words(identical, spared.ids.size(), runnable(job.prepared.plan), looks->took));
  return spared;
}

// Cases with `timing: auto` are timed as the baseline's were. Without a baseline judging will say that there
// is none.
void time_as_baseline(Plan& plan, const RunJob& job, const Record& record) {
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return;
  const BaselineChoice choice = baseline_of(record, job);
  if (const Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select))
    take_timing(plan, baseline->record);
}

int judge_run(const RunJob& job, const Record& record, const Continued& continued) {
  Store& store = *job.store;
  const Result<Selected> current = select_stored(store, record.id);
  if (!current) return report_error(current.error());
  BaselineChoice choice = baseline_of(record, job);
  choice.keep_verdict = true;
  choice.first_passes = true;
  choice.annotate = [&](Comparison& comparison) {
    tell_way(comparison);
    tell(continued, comparison);
  };
  return judge_by_baseline(store, choice, *current, with_learned(store, job.policy, current->record),
                           *job.outputs, job.made_by);
}

// Continues the cases that the comparison would leave undecided, then measures those again that it would call
// regressed, in the rest of the budget. Without a baseline there is nothing to do: judging will say so.
Result<Continued> continue_cases(const RunJob& job, Record& record) {
  const RunArguments& arguments = job.arguments;
  Continued done;
  if (arguments.against.empty()) return done;
  const Result<Selected> current = select_stored(*job.store, record.id);
  if (!current) return fail(current.error());
  const BaselineChoice choice = baseline_of(record, job);
  Policy complete = with_learned(*job.store, job.policy, record);
  Result<Selected> baseline = select_baseline(*job.store, choice.name, *current, choice.select);
  if (!baseline) return done;
  choice.adapt(baseline->record);
  if (const Status decided = decide_waivers(complete, baseline->source, current->source); !decided)
    return fail(decided.error());
  const Seconds budget = arguments.budget.budget;
  const bool quiet = arguments.measuring.quiet;
  Result<TopUp> undecided = top_up(
      *job.store, record, {job.prepared.plan, job.prepared, baseline->record, complete, budget, quiet});
  if (!undecided) return fail(undecided.error());
  done.undecided = std::move(*undecided);
  if (!done.undecided.interrupted) {
    const Result<Confirming> red =
        confirm_red(*job.store, record,
                    {job.prepared.plan, job.prepared, baseline->record, complete, !arguments.look.no_confirm,
                     budget - done.undecided.took, quiet});
    if (!red) return fail(red.error());
    done.red = *red;
  }
  if (done.interrupted())  // --continue takes it up
    if (const Status kept = job.store->finish(record.id, RunState::interrupted); !kept)
      return fail(kept.error());
  return done;
}

// Writes the file of the record, and checks that a GPU was used where one is required.
int keep_file(const RunArguments& arguments, const Record& record) {
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(record)); !written)
      return report_error(written.error());
  if (arguments.require_gpu)
    if (const Status used = check_gpu_was_used(record); !used) return report_error(used.error());
  return exit_ok;
}

// --save-as. A record with a failed case is nothing to compare with.
int save_as(const RunJob& job, const Record& record) {
  const std::string& name = job.arguments.save_as;
  if (name.empty()) return exit_ok;
  if (any_failed(record)) {
    fmt::print(stderr, "warning: the record is not named @{}, because a case failed\n", name);
    return exit_failed;
  }
  if (const Status named = job.store->set_name(record.id, name); !named) return report_error(named.error());
  fmt::print(stderr, "saved as @{} in {}\n", name, job.store->place());
  return exit_ok;
}

// The table, the record's file, and how the measuring itself went; then the verdict.
int conclude(const RunJob& job, const Record& record, const Continued& continued) {
  const RunArguments& arguments = job.arguments;
  const bool judged = !arguments.against.empty();
  int status = any_failed(record) ? exit_failed : exit_ok;
  if (judged) show(record, job, true, status);
  status = worst_status(status, keep_file(arguments, record));
  status = worst_status(status, check_any_measured(record, job));
  if (arguments.plan.quick)
    fmt::print(stderr, "quick: nothing is kept; measure without --quick before you compare\n");
  status = worst_status(status, save_as(job, record));
  if (judged) return worst_status(status, judge_run(job, record, continued));
  show(record, job, false, status);
  return status;
}

int measure_and_judge(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  const BeginOptions begin{arguments.commit, arguments.resume, is_partial(job.prepared, arguments.plan),
                           !arguments.looks.looks};
  MeasureRecordOptions how{begin, arguments.measuring, arguments.clocks,
                           [&](const Record& record) { write_unfinished(record, job); }};
  if (!arguments.against.empty())
    how.adapt = [&](Plan& plan, const Record& record) { time_as_baseline(plan, job, record); };
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
  show(record, job, false, exit_interrupted);
  const std::string rest = arguments.suites.size() == 1
                               ? std::string("the command")
                               : fmt::format("it for {} alone", shell_quoted(arguments.plan.suite));
  fmt::print(stderr, "interrupted: {} results are kept; repeat {} with --continue for the rest\n",
             measured_pairs(record).size(), rest);
  return exit_interrupted;
}

// While a worker opens a GPU, this process hashes the program; and measuring begins while that worker ends. A
// replay for a profiler opens the device in this process instead, and needs neither.
WorkBesideProbe beside_probes(const RunArguments& arguments) {
  if (arguments.profile) return {};
  return {[] { this_tool(); }, std::make_shared<EndingWorkers>()};
}

// Where no stored record can judge and the base commit can be built: the exit status of comparing both builds
// here.
std::optional<int> judge_by_base(RunJob& job) {
  const RunArguments& arguments = job.arguments;
  if (arguments.against.empty() || arguments.resume || !arguments.commit.empty()) return std::nullopt;
  const AbRequest request = base_request(arguments);
  if (request.build.empty()) return std::nullopt;
  Record planned;
  planned.suite = job.prepared.plan.suite;
  const BaselineChoice choice = baseline_of(planned, job);
  const auto base = base_to_build(*job.store, choice, job.prepared, job.policy);
  if (!base) return std::nullopt;
  AbJudging how;
  how.measuring = arguments.measuring;
  how.clocks = arguments.clocks;
  how.look = arguments.look;
  how.policy = job.policy;
  how.partial = is_partial(job.prepared, arguments.plan);
  how.on_measured = [&](const AbRecords& records) {
    return worst_status(keep_file(arguments, records.current), save_as(job, records.current));
  };
  return judge_beside(*job.store, request, *base, job.prepared, std::move(how), *job.outputs, job.made_by);
}

// All of one suite that can be wrong before anything is measured.
Checked<RunJob> plan_suite(const RunArguments& all, const std::string& suite, const Policy& policy,
                           const CommandLine& line) {
  const auto refused = [](const Error& error) { return tl::unexpected(std::vector<Error>{error}); };
  RunArguments arguments = all;
  arguments.plan.suite = suite;
  if (const Status checked = check_outputs(arguments.output, files_of(arguments, {})); !checked)
    return refused(checked.error());
  Checked<Prepared> prepared = prepare(arguments.plan, beside_probes(arguments));
  if (!prepared) return tl::unexpected(std::move(prepared.error()));
  const Reproduction made_by(line, arguments.store, arguments.plan.device, arguments.against);
  RunJob job{std::move(arguments), std::move(*prepared), policy, nullptr, nullptr, made_by};
  if (job.arguments.profile) return job;
  declare_looks(job.prepared.plan, job.arguments.looks.looks, !job.arguments.against.empty());
  if (const Status checked = check_before_measuring(job.arguments, job.prepared); !checked)
    return refused(checked.error());
  Checked<Policy> complete = job.arguments.policy.with_waivers(policy, suite);
  if (!complete) return tl::unexpected(std::move(complete.error()));
  job.policy = std::move(*complete);
  return job;
}

// Options that are about one record.
Status check_one_suite(const RunArguments& arguments) {
  const char* option = !arguments.file.empty()      ? "--output"
                       : arguments.resume           ? "--continue"
                       : !arguments.save_as.empty() ? "--save-as"
                                                    : nullptr;
  if (arguments.suites.size() == 1 || option == nullptr) return {};
  return fail(ErrorKind::usage,
              fmt::format("{} is for one suite, and {} were named", option, arguments.suites.size()),
              "name the suite that it is for, or leave the option out");
}

int run_once(const RunArguments& arguments, const CommandLine& line) {
  if (const Status checked = check_one_suite(arguments); !checked) return report_error(checked.error());
  if (const Status used = arguments.policy.check_used(arguments.against, "--against"); !used)
    return report_error(used.error());
  const Result<Policy> policy = arguments.policy.policy();
  if (!policy) return report_error(policy.error());
  std::vector<RunJob> jobs;
  for (const std::string& suite : arguments.suites) {
    Checked<RunJob> job = plan_suite(arguments, suite, *policy, line);
    if (!job) return report_errors(job.error());
    jobs.push_back(std::move(*job));
  }
  int status = exit_ok;
  if (arguments.profile) {
    for (const RunJob& job : jobs) status = worst_status(status, replay_for_profiler(job.prepared));
    return status;
  }
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const bool quick = arguments.plan.quick;  // so no quick result is ever compared
  auto store = quick ? Store::empty("memory") : Store::open(arguments.store.url);
  if (!store) return report_error(store.error());
  SuiteOutputs outputs(arguments.output, line.text(), jobs.size());
  for (RunJob& job : jobs) {
    job.store = store->get();
    job.outputs = &outputs;
    const std::optional<int> beside = judge_by_base(job);
    outputs.conclude_suite(job.suite(), beside ? *beside : measure_and_judge(job));
    if (outputs.status() == exit_interrupted) break;
  }
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
          .add_option("--commit", arguments.commit,
                      "commit of this source tree, if its repository is not here")
          ->type_name("HASH"),
      command.add_flag("--continue", arguments.resume,
                       "finish the newest interrupted run of this suite and revision"),
      add_typed(command, "--save-as", arguments.save_as, parse_name_of_record,
                "name the record, for --baseline @NAME; `records prune` spares it")
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
  command.footer(
      "Exit status: 0 measured (and nothing regressed), 2 usage, 4 no case can run here, 5 a case failed or\n"
      "computed a wrong result, 130 interrupted; with --against also 1 regressed, 3 inconclusive, 4 "
      "baseline\n"
      "missing. The worst of several suites: 130, 2, 5, 1, 4, 3, 0.");
}

}  // namespace harness
