#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/deciding/confirm_red.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/code_causes.h"
#include "harness/cli/judging/compare_files.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/measuring/begin_run.h"
#include "harness/cli/measuring/lock_devices.h"
#include "harness/cli/measuring/prepare.h"
#include "harness/cli/measuring/top_up.h"
#include "harness/cli/options/import_options.h"
#include "harness/cli/options/looks_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/provenance/tool.h"
#include "harness/store/git.h"

namespace harness {
namespace {

struct CompareArguments {
  std::string baseline = "main";
  std::string current = "HEAD";
  SelectionOptions from;
  BuildFolderOptions builds;
  bool measure = false;
  DeviceOption device;
  ModuleOption modules;
  MeasuringOptions measuring;
  BudgetOption budget;
  PolicyOptions policy;
  OutputOptions output;
};

// The build here must be the build of the record: this suite, this commit, checked out and clean.
Status check_same_build(const Record& record) {
  const Revision here = head_revision(".");
  if (record.revision.commit.empty() || here.commit != record.revision.commit)
    return fail(
        ErrorKind::usage,
        fmt::format("--measure: the record is of commit {}, and {} is checked out here",
                    record.revision.commit.empty() ? "(unknown)" : record.revision.commit.substr(0, 12),
                    here.commit.empty() ? "no commit" : here.commit.substr(0, 12)),
        "check that commit out and build it, or measure both versions anew");
  if (here.dirty || record.revision.dirty)
    return fail(ErrorKind::usage,
                "--measure: with uncommitted changes it cannot be known that this is the build",
                "commit first, and measure with `harness run`");
  const bool declared = std::any_of(record.cases.begin(), record.cases.end(),
                                    [](const CaseRecord& one) { return !one.gate.looks.empty(); });
  if (declared) return {};
  return fail(ErrorKind::usage, "--measure: the record declared no looks before it was measured",
              "looks that are chosen after a first result raise false alarms: measure anew with `harness run "
              "SUITE --looks 5,10,20`, or with --against");
}

// The plan that the record was measured by.
Checked<Prepared> plan_of(const Record& record, const CompareArguments& arguments) {
  SuiteOptions plan;
  plan.suite = record.suite.file;
  plan.device = arguments.device;
  plan.modules = arguments.modules;
  Checked<Prepared> prepared = prepare(plan);
  if (!prepared) return prepared;
  if (prepared->plan.suite.hash != record.suite.hash)
    return fail_checked(
        {ErrorKind::usage,
         fmt::format("--measure: the suite {} is another than the record's", printable(record.suite.file)),
         {},
         "restore it, or measure anew with `harness run`"});
  std::map<std::string, const CaseRecord*> known;
  for (const CaseRecord& one : record.cases) known.emplace(one.id, &one);
  std::erase_if(prepared->plan.cases, [&](const PlannedCase& one) { return !known.contains(one.id); });
  for (PlannedCase& one : prepared->plan.cases) {
    one.sampling = known.at(one.id)->sampling;
    one.gate = known.at(one.id)->gate;
  }
  return prepared;
}

// --measure: continues `current` to its declared looks, as `run --against` does.
Checked<Continued> measure_on(Store& store, Selected& current, const Policy& policy,
                              const SelectOptions& select, const CompareArguments& arguments) {
  if (const Result<Selected> stored = select_stored(store, current.record.id); !stored)
    return fail_checked({ErrorKind::usage,
                         "--measure: the current side is not in the store",
                         {},
                         "name a record of the store, such as HEAD or its id"});
  if (const Status same = check_same_build(current.record); !same) return fail_checked(same.error());
  const Checked<Prepared> prepared = plan_of(current.record, arguments);
  if (!prepared) return tl::unexpected(prepared.error());
  if (const Status same = check_same_tool(current.record, prepared->plan); !same)
    return fail_checked(same.error());
  const Result<Selected> baseline =
      select_baseline(store, arguments.baseline, current, judged_by(policy, select));
  if (!baseline) return Continued{};  // judging reports it
  const auto locks = lock_devices(*prepared, {arguments.measuring.wait});
  if (!locks) return fail_checked(locks.error());
  const Result<FileLock> lock = lock_record(current.record.id);
  if (!lock)
    return fail_checked({ErrorKind::usage,
                         fmt::format("the run {} is still measuring", current.record.id),
                         {},
                         "wait for it, or stop it first"});
  Result<TopUp> done = top_up(store, current.record,
                              {prepared->plan, *prepared, baseline->record, policy, arguments.budget.budget,
                               arguments.measuring.quiet});
  if (!done) return fail_checked(done.error());
  if (done->interrupted) return Continued{*done};
  const Result<Confirming> red =
      confirm_red(store, current.record,
                  {prepared->plan, *prepared, baseline->record, policy, true,
                   arguments.budget.budget - done->took, arguments.measuring.quiet});
  if (!red) return fail_checked(red.error());
  return Continued{*done, *red};
}

// Judges one suite. Returns its exit status.
int compare_suite(Store& store, Selected current, const Policy& policy, const CompareArguments& arguments,
                  SuiteOutputs& outputs, const Reproduction& made_by) {
  const SelectOptions select = arguments.from.select();
  const Result<BuildFolders> builds = arguments.builds.folders();
  if (!builds) return report_error(builds.error());
  BaselineChoice choice{arguments.baseline, select};
  Checked<Continued> done = Continued{};
  if (arguments.measure) {
    done = measure_on(store, current, policy, select, arguments);
    if (!done) return report_errors(done.error());
    if (done->interrupted()) {
      fmt::print(stderr, "interrupted: {} results are kept; repeat the command for the rest\n",
                 measured_pairs(current.record).size());
      return exit_interrupted;
    }
    choice.keep_verdict = true;
  }
  if (environment::in_ci() && current.record.partial) {
    // Only the suite could tell cases that a filter left out from those that it lost: all count as left out.
    std::set<std::string> selected;
    for (const CaseRecord& one : current.record.cases) selected.insert(one.id);
    choice.adapt = [selected = std::move(selected)](Record& baseline) {
      std::erase_if(baseline.cases, [&](const CaseRecord& one) { return !selected.contains(one.id); });
    };
    choice.left_out_counts = true;
  }
  choice.annotate = [&](Comparison& comparison) {
    if (arguments.measure) tell(*done, comparison);
    add_code(comparison, *builds);
  };
  return judge_by_baseline(store, choice, std::move(current), policy, outputs, made_by);
}

// The comparison of two large record files, where no report needs their cases.
std::optional<ComparedSides> compare_in_parts(Store& store, const CompareArguments& arguments) {
  if (arguments.measure || !arguments.builds.baseline.empty() ||
      SuiteOutputs(arguments.output, "", 1).draws(Format::html))
    return std::nullopt;
  return compare_files(arguments.baseline, arguments.current, arguments.from.select(),
                       [&](const Record& current) -> std::optional<Policy> {
                         Checked<Policy> policy = policy_in_force(store, arguments.policy, current);
                         return policy ? std::optional(std::move(*policy)) : std::nullopt;
                       });
}

Result<std::vector<Selected>> sides_of(Store& store, const CompareArguments& arguments,
                                       std::optional<ComparedSides>& compared) {
  if (!compared)
    return select_current_of_suites(store, arguments.current, arguments.baseline, arguments.from.select());
  std::vector<Selected> sides;
  sides.push_back(compared->current);
  return sides;
}

int compare_command(const CompareArguments& arguments, const CommandLine& line) {
  SuiteOptions plan;  // of --measure
  plan.device = arguments.device;
  plan.modules = arguments.modules;
  const CommandFiles files{"", all_of({{arguments.baseline, arguments.current},
                                       plan_files(plan),
                                       store_files(arguments.from.store.url),
                                       {arguments.policy.waivers_file("")}})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const auto policy = arguments.policy.policy(); !policy) return report_error(policy.error());
  const auto store =
      arguments.measure ? Store::open(arguments.from.store.url) : open_for_reading(arguments.from.store);
  if (!store) return report_error(store.error());
  for (const auto& [option, name] :
       {std::pair("--baseline", &arguments.baseline), {"--current", &arguments.current}})
    if (const Status known = check_side(arguments.from.store, option, *name); !known)
      return report_error(known.error());
  std::optional<ComparedSides> compared = compare_in_parts(**store, arguments);
  Result<std::vector<Selected>> sides = sides_of(**store, arguments, compared);
  if (!sides) return report_error(sides.error());
  std::vector<Policy> policies;
  for (const Selected& current : *sides) {
    Checked<Policy> policy = policy_in_force(**store, arguments.policy, current.record);
    if (!policy) return report_errors(policy.error());
    std::vector<std::string> own{policy->waivers_file};
    if (arguments.measure) own.push_back(current.record.suite.file);
    if (const Status spared = check_outputs(arguments.output, {"", own}); !spared)
      return report_error(spared.error());
    policies.push_back(std::move(*policy));
  }
  if (const Status begun = begin_outputs(arguments.output, line); !begun) return report_error(begun.error());
  const Reproduction made_by(line, arguments.from.store, arguments.device, arguments.baseline);
  SuiteOutputs outputs(arguments.output, line.text(), sides->size());
  for (std::size_t i = 0; i < sides->size(); ++i) {
    Selected& current = (*sides)[i];
    const std::string suite = current.record.suite.name;
    outputs.conclude_suite(
        suite, compared
                   ? report_comparison(**store, {}, std::move(*compared), true, outputs, made_by)
                   : compare_suite(**store, std::move(current), policies[i], arguments, outputs, made_by));
    if (outputs.status() == exit_interrupted) break;
  }
  return outputs.finish();
}

}  // namespace

void add_compare(Commands& commands) {
  auto& [command, arguments] =
      commands.add("compare", "Judge one record by another; the exit status is the verdict", compare_command);
  command
      .add_option("--baseline", arguments.baseline,
                  "revision, record file, or files of another tool, to compare with")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command.add_option("--current", arguments.current, "likewise, to judge")
      ->capture_default_str()
      ->type_name("REV|FILE");
  arguments.from.add_to(command);
  add_import_options(command, arguments.from.imports);
  arguments.builds.add_to(command);
  CLI::Option* measure = command.add_flag(
      "--measure", arguments.measure,
      "first measure undecided cases of the current side here, up to the next look that its record "
      "declared");
  arguments.device.add_to(command)->needs(measure);
  arguments.modules.add_to(command)->needs(measure);
  arguments.measuring.add_to(command);
  arguments.budget.add_to(command);
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  arguments.output.add_verbose_to(command);
  command.footer(
      "Exit status: 0 no regression, 1 regressed, 2 usage, 3 inconclusive, 4 baseline missing or not\n"
      "comparable, 5 a case failed or computed a wrong result. Improvements fail only with\n"
      "--fail-on improved.\n"
      "All suites that a revision has records of are judged; the worst of their statuses counts.");
  add_examples(
      command,
      {"harness compare --baseline main",
       "harness compare --baseline monday.json --current tuesday.json --report markdown=verdict.md"});
}

}  // namespace harness
