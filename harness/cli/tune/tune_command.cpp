// `harness tune`: the fastest values of the parameters that a suite lists under `tune`, pinned for this
// machine's class.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/files.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/typed_option.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/tune/tune_search.h"
#include "harness/measure/schedule/interrupt.h"
#include "harness/report/documents.h"
#include "harness/store/tuned_file.h"

namespace harness {
namespace {

struct TuneArguments {
  SuiteOptions plan;
  BudgetOption budget;
  MeasuringOptions measuring;
  ClockOption clocks;
  std::string commit;
  OutputOptions output;
};

TunedCase pinned_case(const TunePoint& point, const Record& record) {
  const TuneArm& fixed = point.arms.front();
  const bool replaced = point.outcome == TuneOutcome::replaced;
  TunedCase one;
  one.id = point.id;
  one.values = replaced ? point.arms[point.best].values : fixed.values;
  one.fixed = fixed.values;
  if (replaced) {
    one.ratio = point.ratio;
    one.interval = point.interval;
  }
  one.processes = point.processes;
  one.arms = static_cast<int>(point.arms.size());
  one.device_uuid = record.machines.at(point.device).device_uuid;
  one.revision = record.revision;
  one.date = utc_timestamp();
  one.tool = record.tool;
  return one;
}

// Pins what was decided. The other points keep what is pinned for them.
Status pin_decided(TuneSearch& search) {
  std::map<std::string, TunedSuite> suites;
  for (const TunePoint& point : search.report.points) {
    const auto machine = search.record.machines.find(point.device);
    if (machine == search.record.machines.end()) continue;
    const std::string& name = machine->second.machine_class;
    auto& classes = search.report.classes;
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
    if (point.outcome != TuneOutcome::replaced && point.outcome != TuneOutcome::kept) continue;
    TunedSuite& tuned = suites[name];
    tuned.suite = search.report.suite;
    tuned.machine_class = name;
    tuned.cases.push_back(pinned_case(point, search.record));
  }
  for (const auto& [name, tuned] : suites) {
    const auto path = pin_tuned(tuned_folder, tuned);
    if (!path) return fail(path.error());
    search.report.files.push_back(path->string());
  }
  return {};
}

int status_of(const TuningReport& report) {
  int status = exit_missing;
  for (const TunePoint& point : report.points) {
    const bool failed = point.outcome == TuneOutcome::failed ||
                        std::any_of(point.arms.begin(), point.arms.end(),
                                    [](const TuneArm& arm) { return arm.end == ArmEnd::failed; });
    const int own = failed                                    ? exit_failed
                    : point.outcome == TuneOutcome::undecided ? exit_inconclusive
                    : point.outcome == TuneOutcome::skipped   ? exit_missing
                                                              : exit_ok;
    if (own == exit_ok && status == exit_missing) status = exit_ok;
    if (own != exit_missing) status = status == exit_missing ? own : worst_status(status, own);
  }
  return status;
}

int tune_command(const TuneArguments& arguments, const CommandLine& line) {
  const CommandFiles files{"", plan_files(arguments.plan)};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  SuiteOptions plan = arguments.plan;
  plan.arms = true;
  Checked<Prepared> prepared = prepare(plan);
  if (!prepared) return report_errors(prepared.error());
  if (prepared->plan.cases.empty())
    return report_error(
        {ErrorKind::usage, fmt::format("nothing to tune in {}", plan.suite), Location{plan.suite},
         "name a parameter and the values to try under `tune` of a case, the fixed value first: "
         "`tune: {tile: [64, 128]}`"});
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const InterruptGuard guard;
  Result<TuneSearch> search =
      tune(*prepared, {arguments.budget.budget, arguments.measuring, arguments.clocks, arguments.commit});
  if (InterruptGuard::interrupted() || (search && search->interrupted)) {
    fmt::print(stderr, "interrupted: nothing was pinned\n");
    return exit_interrupted;
  }
  if (!search) return report_error(search.error());
  if (const Status kept = pin_decided(*search); !kept) return report_error(kept.error());
  search->report.exit_code = status_of(search->report);
  return emit(
      arguments.output,
      [&](Format format, const Style& style) {
        return render(report::tuning_document(search->report), format, style);
      },
      search->report.exit_code);
}

}  // namespace

void add_tune(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "tune", "Find the fastest values of parameters and pin them for this machine's class", tune_command);
  arguments.plan.add_to(command);
  arguments.budget.add_to(command, "time for search and verification together, e.g. 90s");
  arguments.measuring.add_to(command);
  arguments.clocks.add_to(command);
  command
      .add_option("--commit", arguments.commit, "commit of this source tree, if its repository is not here")
      ->type_name("HASH");
  arguments.output.add_to(command);
  command.footer(
      "The best values are verified by fresh processes, and replace the fixed ones only when they are "
      "certainly "
      "faster.\n"
      "Exit status: 0 all decided, 2 usage, 3 a case is undecided, 4 nothing measured, 5 values failed or "
      "computed a "
      "wrong\nresult, 130 interrupted.");
  add_examples(command, {"harness tune tuned.yaml --budget 5m"});
}

}  // namespace harness
