// harness: performance CI for CUDA kernels. Parses the command line and runs the chosen command.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/base/text.h"
#include "harness/cli/command_line.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/typed_option.h"

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

// Names the words that the parser refused.
Error refused(const CLI::App& program, const CLI::App& command, const CLI::ParseError& error) {
  if (const std::vector<std::string> unknown = command.remaining(); !unknown.empty()) {
    const bool command_missing = &command == &program && !unknown.front().starts_with('-');
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    return {
        ErrorKind::usage,
        fmt::format("unknown {} `{}`", command_missing ? "command" : "argument", printable(unknown.front())),
        {},
        suggestion(name, known_names(command), 0)};
  }
  if (const auto* wrong_value = dynamic_cast<const OptionError*>(&error)) return wrong_value->error();
  return {ErrorKind::usage, error.what(), {}, {}};
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = given_command(program);
  Error usage = refused(program, *command, error);
  std::string path = command->get_name();
  for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  if (usage.advice.empty()) usage.advice = fmt::format("see `{} --help`", path);
  return report_error(usage);
}

int run_program(int argc, char** argv) {
  CLI::App program{
      "Performance CI for CUDA kernels: declare suites in YAML, measure honestly, fail builds that regress.",
      "harness"};
  program.set_version_flag("--version", "harness " HARNESS_VERSION);
  program.require_subcommand(1);
  program.footer("First steps: harness list suites/smoke.yaml; harness run suites/smoke.yaml");
  Action chosen;
  Commands commands(program, chosen);
  add_all_commands(commands);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error);
  }
  return chosen(CommandLine(argc, argv));
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
