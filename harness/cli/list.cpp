#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/inputs.h"
#include "harness/cli/output.h"
#include "harness/cli/prepare.h"

namespace harness {
namespace {

struct ListArguments {
  PlanArguments plan;
  OutputArguments output;
};

int list(const ListArguments& arguments) {
  if (const Status checked = check_outputs(arguments.output, {"", plan_files(arguments.plan)}); !checked)
    return report_error(checked.error());
  const Checked<Prepared> prepared = prepare(arguments.plan);
  if (!prepared) return report_errors(prepared.error());
  const auto render = [&](Format format, const Style& style) {
    return render_plan(prepared->plan, format, style);
  };
  return emit(arguments.output, render, exit_ok);
}

}  // namespace

void add_list(CLI::App& program, Action& chosen) {
  CLI::App* command =
      program.add_subcommand("list", "Print what a suite would measure here, and what not and why");
  auto arguments = std::make_shared<ListArguments>();
  add_plan_options(*command, arguments->plan);
  add_output_options(*command, arguments->output);
  command->callback([&chosen, arguments] { chosen = [arguments] { return list(*arguments); }; });
}

}  // namespace harness
