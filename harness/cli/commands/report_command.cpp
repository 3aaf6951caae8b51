#include <CLI/CLI.hpp>
#include <memory>

#include "harness/base/files.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judging/judge_by_baseline.h"
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
  std::string suite;
  std::string store = default_store;
  std::string file;
  PolicyArguments policy;
  OutputArguments output;
};

int report_command(const ReportArguments& arguments) {
  if (const Status used = check_policy_is_used(arguments.policy, arguments.baseline); !used)
    return report_error(used.error());
  const CommandFiles files{arguments.file, all_of({{arguments.record, arguments.baseline},
                                                   store_files(arguments.store),
                                                   policy_files(arguments.policy, "")})};
  if (const Status checked = check_outputs(arguments.output, files); !checked)
    return report_error(checked.error());
  if (const auto policy = make_policy(arguments.policy); !policy) return report_error(policy.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  SelectOptions select;
  select.folder = ".";
  select.suite = arguments.suite;
  const Result<Selected> selected = select_current(**store, arguments.record, select);
  if (!selected) return report_error(selected.error());
  Checked<Policy> policy = Policy{};
  if (!arguments.baseline.empty()) policy = effective_policy(**store, arguments.policy, selected->record);
  if (!policy) return report_errors(policy.error());
  if (const Status spared = check_outputs(arguments.output, {arguments.file, {policy->waivers_file}});
      !spared)
    return report_error(spared.error());
  if (!arguments.file.empty())
    if (const Status written = write_file_atomically(arguments.file, encode(selected->record)); !written)
      return report_error(written.error());
  if (!arguments.baseline.empty()) {
    BaselineChoice choice{arguments.baseline, select};
    choice.report_only = true;
    return judge(**store, choice, *selected, *policy, arguments.output);
  }
  const std::vector<Summary> summaries = summarize(selected->record);
  const auto render = [&](Format format, const Style& style) {
    return render_measured(selected->record, summaries, format, style);
  };
  return emit(arguments.output, render, exit_ok);
}

}  // namespace

void add_report(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("report", "Print a stored record, or its comparison with another, again");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("record", arguments->record, "revision or record file")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command->add_option("--baseline", arguments->baseline, "report the comparison with this one instead")
      ->type_name("REV|FILE");
  command->add_option("--suite", arguments->suite, "suite name, where a revision has records of several");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  command->add_option("--output", arguments->file, "write the record itself, raw samples and all")
      ->type_name("FILE");
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output);
  command->footer(
      "With --baseline this is what `harness compare` says of the same two records under the same\n"
      "policy, but the exit status is no verdict: 0 once the reports are written.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return report_command(*arguments); }; });
}

}  // namespace harness
