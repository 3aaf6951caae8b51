// harness: performance CI for CUDA kernels. Parses the command line and runs the chosen command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_status.h"

namespace harness {
namespace {

const CLI::App* given_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? &app : given_command(*given.front());
}

// Names a user may have meant where the parser met something unknown.
std::vector<std::string> known_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub :
       command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    names.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = given_command(program);
  std::string message = error.what();
  std::string advice;
  if (const std::vector<std::string> unknown = command->remaining(); !unknown.empty()) {
    const bool command_missing = command == &program && !unknown.front().starts_with('-');
    message =
        fmt::format("unknown {} `{}`", command_missing ? "command" : "argument", printable(unknown.front()));
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    advice = suggestion(name, known_names(*command), 0);
  }
  std::string path = command->get_name();
  for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  if (advice.empty()) advice = fmt::format("see `{} --help`", path);
  return report_error(Error{ErrorKind::usage, message, {}, advice});
}

int run_program(int argc, char** argv) {
  CLI::App program{
      "Performance CI for CUDA kernels: declare suites in YAML, measure honestly, fail builds that regress.",
      "harness"};
  program.set_version_flag("--version", "harness " HARNESS_VERSION);
  program.require_subcommand(1);
  program.footer("First steps: harness list suites/smoke.yaml; harness run suites/smoke.yaml");
  Action chosen;
  add_list(program, chosen);
  add_run(program, chosen);
  add_compare(program, chosen);
  add_report(program, chosen);
  add_explain(program, chosen);
  add_plot(program, chosen);
  add_table(program, chosen);
  add_import(program, chosen);
  add_baseline(program, chosen);
  add_history(program, chosen);
  add_ab(program, chosen);
  add_bisect(program, chosen);
  add_calibrate(program, chosen);
  add_selftest(program, chosen);
  add_plan(program, chosen);
  add_doctor(program, chosen);
  add_worker(program, chosen);
  add_clock_guard(program, chosen);
  add_library_probe(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error);
  }
  return chosen();
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  try {
    return harness::run_program(argc, argv);
  } catch (const std::exception& error) {
    return harness::report_error(
        {harness::ErrorKind::internal, error.what(), {}, "this is a bug in harness; please report it"});
  }
}
