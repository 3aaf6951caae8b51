
#include "harness/base/files.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
#include "harness/cli/judging/stored_records.h"
#include "harness/cli/output/emit.h"
#include "harness/cli/output/input_files.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/model/codec.h"
#include "harness/store/select.h"
#include "harness/verdict/read/summarize.h"

namespace harness {
namespace {

struct ReportArguments {
  std::string record = "HEAD";
  std::string baseline;
  SelectionOptions from;
  std::string file;
  PolicyOptions policy;
  OutputOptions output;
};

int report_command(const ReportArguments& arguments, const CommandLine& line) {
  if (const Status used = arguments.policy.check_used(arguments.baseline); !used)
    return report_error(used.error());
  const CommandFiles files{arguments.file, all_of({{arguments.record, arguments.baseline},
                                                   store_files(arguments.from.store.url),
                                                   {arguments.policy.waivers_file("")}})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const auto policy = arguments.policy.policy(); !policy) return report_error(policy.error());
  const auto store = open_for_reading(arguments.from.store);
  if (!store) return report_error(store.error());
  const SelectOptions select = arguments.from.select();
  const Result<Selected> selected = select_current(**store, arguments.record, select);
  if (!selected) return report_error(selected.error());
  Checked<Policy> policy = Policy{};
  if (!arguments.baseline.empty()) policy = policy_in_force(**store, arguments.policy, selected->record);
  if (!policy) return report_errors(policy.error());
  if (const Status spared = check_outputs(arguments.output, {arguments.file, {policy->waivers_file}});
      !spared)
    return report_error(spared.error());
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(selected->record)); !written)
      return report_error(written.error());
  const Reproduction made_by(line, arguments.from.store, {}, arguments.baseline);
  if (!arguments.baseline.empty()) {
    BaselineChoice choice{arguments.baseline, select};
    choice.report_only = true;
    return judge_by_baseline(**store, choice, *selected, *policy, arguments.output, made_by);
  }
  const std::vector<Summary> summaries = summarize(selected->record);
  const auto render = [&](Format format, const Style& style) {
    return render_measured(selected->record, summaries, format, style, made_by);
  };
  return emit(arguments.output, render, exit_ok);
}

}  // namespace

void add_report(Commands& commands) {
  auto& [command, arguments] =
      commands.add("report", "Print a stored record, or its comparison with another one", report_command);
  command.add_option("record", arguments.record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command.add_option("--baseline", arguments.baseline, "revision or record file to compare with")
      ->type_name("REV|FILE");
  arguments.from.add_to(command);
  command.add_option("--output", arguments.file, "write the record with all raw samples")->type_name("FILE");
  arguments.policy.add_to(command);
  arguments.output.add_to(command);
  command.footer(
      "With --baseline the report is that of `harness compare` for the same records and policy. The exit\n"
      "status is no verdict: it is 0 once the reports are written.");
}

}  // namespace harness
