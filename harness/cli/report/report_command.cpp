// `harness report`: stored records as reports, one a suite, or all on one page that claims open.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/cli/report/deep_dive.h"
#include "harness/model/codec.h"
#include "harness/store/select.h"

namespace harness {
namespace {

struct ReportArguments {
  std::vector<std::string> records;
  std::string baseline;
  std::string page;  // of the deep dive
  std::vector<std::string> claims;
  SelectionOptions from;
  std::string file;
  PolicyOptions policy;
  OutputOptions output;
};

Status check_one_suite(const ReportArguments& arguments, const std::vector<Selected>& sides) {
  if (arguments.file.empty() || sides.size() == 1) return {};
  std::vector<std::string> names;
  for (const Selected& side : sides) names.push_back(printable(side.record.suite.name));
  return fail(
      ErrorKind::usage,
      fmt::format("--output is for one record, and these are of several suites: {}", join(names, ", ")),
      "name one with --suite");
}

bool is_deep_dive(const ReportArguments& arguments) {
  return !arguments.page.empty() || !arguments.claims.empty();
}

// One a suite, because a chapter, a report and a claim are of a suite.
Result<std::vector<Selected>> select_records(Store& store, const ReportArguments& arguments) {
  if (arguments.records.empty() && is_deep_dive(arguments))
    return newest_of_suites(store, arguments.from.suite);
  std::vector<std::string> names = arguments.records;
  if (names.empty()) names = {"HEAD"};
  std::vector<Selected> records;
  std::set<std::string> suites;
  for (const std::string& name : names) {
    Result<std::vector<Selected>> some =
        select_current_of_suites(store, name, arguments.baseline, arguments.from.select());
    if (!some) return fail(some.error());
    for (Selected& one : *some) {
      if (!suites.insert(one.record.suite.name).second)
        return fail(ErrorKind::usage,
                    fmt::format("{}: a second record of the suite {}", printable(name),
                                printable(one.record.suite.name)),
                    "name one record a suite");
      records.push_back(std::move(one));
    }
  }
  return records;
}

int report_suite(Store& store, Selected selected, const ReportArguments& arguments, SuiteOutputs& outputs,
                 const Reproduction& made_by) {
  Checked<Policy> policy = Policy{};
  if (!arguments.baseline.empty()) policy = policy_in_force(store, arguments.policy, selected.record);
  if (!policy) return report_errors(policy.error());
  if (const Status spared = check_outputs(arguments.output, {arguments.file, {policy->waivers_file}});
      !spared)
    return report_error(spared.error());
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(selected.record)); !written)
      return report_error(written.error());
  if (arguments.baseline.empty()) {
    outputs.add(selected.record.suite.name, measured_report(selected.record, made_by), exit_ok);
    return exit_ok;
  }
  BaselineChoice choice{arguments.baseline, arguments.from.select()};
  choice.report_only = true;
  return judge_by_baseline(store, choice, std::move(selected), *policy, outputs, made_by);
}

int report_command(const ReportArguments& given, const CommandLine& line) {
  ReportArguments arguments = given;
  if (!arguments.page.empty()) arguments.output.reports.push_back({Format::html, arguments.page});
  if (const Status used = arguments.policy.check_used(arguments.baseline); !used)
    return report_error(used.error());
  const CommandFiles files{arguments.file, all_of({arguments.records,
                                                   {arguments.baseline},
                                                   arguments.claims,
                                                   store_files(arguments.from.store.url),
                                                   {arguments.policy.waivers_file("")}})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const auto policy = arguments.policy.policy(); !policy) return report_error(policy.error());
  const auto store = open_for_reading(arguments.from.store);
  if (!store) return report_error(store.error());
  if (!arguments.baseline.empty())
    if (const Status known = check_side(arguments.from.store, "--baseline", arguments.baseline); !known)
      return report_error(known.error());
  auto sides = select_records(**store, arguments);
  if (!sides) return report_error(sides.error());
  if (const Status one = check_one_suite(arguments, *sides); !one) return report_error(one.error());
  const Reproduction made_by(line, arguments.from.store, {}, arguments.baseline);
  SuiteOutputs outputs(arguments.output, line.text(), sides->size() + (is_deep_dive(arguments) ? 1 : 0));
  if (is_deep_dive(arguments)) {
    const Checked<MakeReport> claims = claims_of(*sides, arguments.claims);
    if (!claims) return report_errors(claims.error());
    outputs.lead("claims", *claims);
  }
  for (Selected& selected : *sides) {
    const std::string suite = selected.record.suite.name;
    outputs.conclude_suite(suite, report_suite(**store, std::move(selected), arguments, outputs, made_by));
  }
  const int status = outputs.finish();
  if (!arguments.page.empty() && outputs.wrote_files())
    fmt::print(stderr, "wrote {}\n", printable(arguments.page));
  return status;
}

}  // namespace

void add_report(Commands& commands) {
  auto& [command, arguments] =
      commands.add("report", "Print a stored record, or its comparison with another one", report_command);
  command.add_option("record", arguments.records, "revisions or record files [HEAD]")->type_name("REV|FILE");
  command.add_option("--baseline", arguments.baseline, "revision or record file to compare with")
      ->type_name("REV|FILE");
  command
      .add_option("--html", arguments.page,
                  "one page of all suites, which their claims open; without a record of every suite's newest")
      ->type_name("FILE");
  command
      .add_option("--claims", arguments.claims,
                  "suite files whose claims are checked; with --html the default is those of the records")
      ->type_name("SUITE");
  arguments.from.add_to(command);
  command.add_option("--output", arguments.file, "write the record with all raw samples")->type_name("FILE");
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "With --baseline the report is that of `harness compare` for the same records and policy. The exit\n"
      "status is no verdict: it is 0 once the reports are written.");
  add_examples(command, {"harness report --format csv", "harness report --html report.html"});
}

}  // namespace harness
