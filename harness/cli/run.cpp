#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judge.h"
#include "harness/cli/prepare.h"
#include "harness/cli/progress.h"
#include "harness/compare/summarize.h"
#include "harness/measure/run.h"
#include "harness/model/codec.h"
#include "harness/store/git.h"

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
  PolicyArguments policy;
  OutputArguments output;
};

// What --filter and --tag left out of this run is no removed case: the baseline is cut to the same cases.
void keep_cases_of(Record& baseline, const Record& current) {
  std::set<std::string> measured;
  for (const CaseRecord& one : current.cases) measured.insert(one.id);
  std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !measured.contains(one.id); });
}

// What is measured: the checked-out revision; or, where the tree was carried without its repository
// (a container, a lab machine), the commit that the user names.
Result<Revision> measured_revision(const std::string& named) {
  Revision revision = head_revision(".");
  if (named.empty() || named == revision.commit) return revision;
  const bool hexadecimal =
      named.size() == 40 && named.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal)
    return fail(ErrorKind::usage, fmt::format("--commit: `{}` is not a full commit id", printable(named)),
                "give the 40 hexadecimal digits that `git rev-parse HEAD` prints");
  if (!revision.commit.empty())
    return fail(ErrorKind::usage,
                fmt::format("--commit {} is not what is checked out here: {}", named, revision.commit),
                "leave --commit out inside a repository");
  revision.commit = named;
  return revision;
}

Record new_record(const Plan& plan, const Revision& revision) {
  Record record;
  record.id = random_uuid();
  record.tool = "harness " HARNESS_VERSION;
  record.suite = plan.suite;
  record.revision = revision;
  record.started = utc_timestamp();
  for (const PlannedCase& planned : plan.cases) record.cases.push_back(planned_record(planned));
  return record;
}

// The newest unfinished record of the same suite text and revision, with what it holds so far.
Result<Record> unfinished_record(Store& store, const Plan& plan, const Revision& revision) {
  RunQuery query;
  query.suite = plan.suite.name;
  query.suite_hash = plan.suite.hash;
  query.commit = revision.commit;
  query.dirty = revision.dirty;
  const auto runs = store.list(query);
  if (!runs) return fail(runs.error());
  for (const RunInfo& run : *runs)
    if (run.state != RunState::complete) return store.load(run.id);
  return fail(ErrorKind::missing,
              fmt::format("no unfinished run of suite `{}` at this revision", plan.suite.name),
              "run without --continue to start a new one; a changed suite or commit cannot be continued");
}

std::set<std::pair<std::string, int>> measured_pairs(const Record& record) {
  std::set<std::pair<std::string, int>> pairs;
  for (const CaseRecord& one : record.cases)
    for (const ProcessResult& result : one.processes) pairs.emplace(one.id, result.process);
  return pairs;
}

// A continued record is only what it says it is if the plan is the same: same cases, same sampling.
Status check_continuation(const Record& record, const Plan& plan) {
  bool same = record.cases.size() == plan.cases.size();
  for (std::size_t i = 0; same && i < plan.cases.size(); ++i)
    same = record.cases[i].id == plan.cases[i].id && record.cases[i].sampling == plan.cases[i].sampling;
  if (same) return {};
  return fail(ErrorKind::usage, "the unfinished run has other cases or sampling than this command asks for",
              "repeat the options of the interrupted run, or leave --continue out");
}

// Measures the plan into the store. The result is the record as stored, and whether it was cut short.
Result<std::pair<Record, bool>> measure(Store& store, const Prepared& prepared,
                                        const RunArguments& arguments) {
  const Result<Revision> revision = measured_revision(arguments.commit);
  if (!revision) return fail(revision.error());
  Record record;
  if (arguments.resume) {
    Result<Record> unfinished = unfinished_record(store, prepared.plan, *revision);
    if (!unfinished) return fail(unfinished.error());
    record = std::move(*unfinished);
    if (const Status same = check_continuation(record, prepared.plan); !same) return fail(same.error());
  } else {
    record = new_record(prepared.plan, *revision);
    if (const Status begun = store.begin(record); !begun) return fail(begun.error());
  }
  ProgressLine progress(arguments.quiet);
  RunOptions options;
  options.devices = prepared.devices;
  options.already = measured_pairs(record);
  options.on_progress = [&](const Progress& now) { progress.show(now); };
  options.on_result = [&](ProcessResult result) { return store.put(record.id, result); };
  options.on_machine = [&](const std::string& kind, const Machine& machine) {
    Machine& known = record.machines[kind];
    std::map<std::string, double> ceilings = machine.ceilings.empty() ? known.ceilings : machine.ceilings;
    known = machine;
    known.ceilings = std::move(ceilings);
    if (const Status kept = store.update_header(record); !kept) report_error(kept.error());
  };
  const Result<RunReport> report = run_plan(prepared.plan, options);
  progress.clear();
  if (!report) {
    if (const Status closed = store.finish(record.id, RunState::interrupted); !closed)
      report_error(closed.error());
    return fail(report.error());
  }
  for (const std::string& warning : report->warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (!report->interrupted) {
    record.finished = utc_timestamp();
    if (const Status kept = store.update_header(record); !kept) return fail(kept.error());
  }
  const RunState state = report->interrupted ? RunState::interrupted : RunState::complete;
  if (const Status finished = store.finish(record.id, state); !finished) return fail(finished.error());
  Result<Record> stored = store.load(record.id);
  if (!stored) return fail(stored.error());
  return std::pair{std::move(*stored), report->interrupted};
}

bool any_failed(const Record& record) {
  return std::any_of(record.cases.begin(), record.cases.end(), [](const CaseRecord& one) {
    return one.outcome != Outcome::measured && one.outcome != Outcome::skipped;
  });
}

Status show(const Record& record, const RunArguments& arguments) {
  OutputArguments output = arguments.output;
  if (!arguments.against.empty()) {  // the reports asked for are the comparison's
    output.reports.clear();
    if (output.format != "terminal") return {};
  }
  const std::vector<Summary> summaries = summarize(record);
  return emit(output, [&](Format format, const Style& style) {
    return render_run(record, summaries, format, style);
  });
}

Status check_arguments(const RunArguments& arguments, const Prepared& prepared) {
  const auto missing_gpu = prepared.unavailable_devices.find("cuda");
  const bool wants_cuda = std::any_of(prepared.plan.cases.begin(), prepared.plan.cases.end(),
                                      [](const PlannedCase& one) { return one.device == "cuda"; });
  if (arguments.require_gpu && missing_gpu != prepared.unavailable_devices.end())
    return fail(ErrorKind::environment, fmt::format("--require-gpu: {}", missing_gpu->second),
                "run on a machine with an NVIDIA GPU and driver, with a build that has the CUDA module");
  if (arguments.require_gpu && wants_cuda)
    for (const PlannedCase& one : prepared.plan.cases)
      if (one.device == "cuda" && !one.skip.empty())
        return fail(ErrorKind::environment, one.where,
                    fmt::format("--require-gpu: {} is skipped: {}", one.id, one.skip),
                    "leave it out with --filter '!...', or build for this GPU with ci/bootstrap.sh");
  return {};
}

int run_command(const RunArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Policy> policy = make_policy(arguments.policy);
  if (!policy) return report_error(policy.error());
  const Checked<Prepared> prepared = prepare(arguments.plan);
  if (!prepared) return report_errors(prepared.error());
  if (const Status checked = check_arguments(arguments, *prepared); !checked)
    return report_error(checked.error());
  const auto store = Store::open(arguments.store);
  if (!store) return report_error(store.error());
  const auto measured = measure(**store, *prepared, arguments);
  if (!measured) return report_error(measured.error());
  const auto& [record, interrupted] = *measured;
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(record)); !written)
      return report_error(written.error());
  if (const Status shown = show(record, arguments); !shown) return report_error(shown.error());
  if (interrupted) {
    fmt::print(stderr, "interrupted: {} results are kept; repeat the command with --continue for the rest\n",
               measured_pairs(record).size());
    return exit_interrupted;
  }
  int status = any_failed(record) ? exit_failed : exit_ok;
  if (!arguments.against.empty()) {
    SelectOptions select;
    select.folder = ".";
    select.suite = record.suite.name;
    const Result<Selected> current = select_stored(**store, record.id);
    if (!current) return report_error(current.error());
    const bool partial = !arguments.plan.filters.empty() || !arguments.plan.tags.empty();
    const auto adapt = [&](Record& baseline) {
      if (partial) keep_cases_of(baseline, current->record);
    };
    status = std::max(
        status, judge(**store, {arguments.against, select, adapt}, *current, *policy, arguments.output));
  }
  return status;
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
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output);
  command->footer(
      "Exit status: 0 measured (and nothing regressed), 2 usage, 5 a case failed or computed a wrong\n"
      "result, 130 interrupted; with --against also 1 regressed, 3 inconclusive, 4 baseline missing.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return run_command(*arguments); }; });
}

}  // namespace harness
