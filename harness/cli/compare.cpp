#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/judge.h"

namespace harness {
namespace {

struct CompareArguments {
  std::string baseline = "main";
  std::string current = "HEAD";
  std::string suite;
  std::string store = default_store;
  PolicyArguments policy;
  OutputArguments output;
};

int compare_command(const CompareArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output); !checked) return report_error(checked.error());
  const Result<Policy> policy = make_policy(arguments.policy);
  if (!policy) return report_error(policy.error());
  const auto store = open_for_reading(arguments.store);
  if (!store) return report_error(store.error());
  SelectOptions select;
  select.folder = ".";
  select.suite = arguments.suite;
  const Result<Selected> current = select_current(**store, arguments.current, select);
  if (!current) return report_error(current.error());
  const Checked<Policy> complete = with_waivers(*policy, arguments.policy, current->record.suite.file);
  if (!complete) return report_errors(complete.error());
  return judge(**store, {arguments.baseline, select}, *current, *complete, arguments.output);
}

}  // namespace

void add_compare(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("compare", "Judge one record by another; the exit status is the verdict");
  auto arguments = std::make_shared<CompareArguments>();
  command->add_option("--baseline", arguments->baseline, "revision or record file to judge by")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command->add_option("--current", arguments->current, "revision or record file to judge")
      ->capture_default_str()
      ->type_name("REV|FILE");
  command->add_option("--suite", arguments->suite, "suite name, where a revision has records of several");
  command->add_option("--store", arguments->store, "where records are: a file or postgresql://...")
      ->capture_default_str()
      ->type_name("URL");
  add_policy_options(*command, arguments->policy);
  add_output_options(*command, arguments->output);
  command->footer(
      "Exit status: 0 no regression, 1 regressed, 2 usage, 3 inconclusive, 4 baseline missing or not\n"
      "comparable, 5 a case failed or computed a wrong result. Improvements fail only by --fail-on improved.");
  command->callback([&chosen, arguments] { chosen = [arguments] { return compare_command(*arguments); }; });
}

}  // namespace harness
