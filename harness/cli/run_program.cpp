#include "harness/cli/run_program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/cli/command_line.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/command_words.h"
#include "harness/cli/declared/deciding_defaults.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/typed_option.h"
#include "harness/store/store_wait.h"

namespace harness {
namespace {

const CLI::App* given_command(const CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  return given.empty() ? &app : given_command(*given.front());
}

// Suggestions for a name that the parser does not know.
std::vector<std::string> known_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub :
       command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    names.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

// Advice for extra words, when the command takes its records by options.
std::string advice_for_sides(const CLI::App& command, const std::vector<std::string>& words) {
  const bool plain =
      std::none_of(words.begin(), words.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (!plain || words.size() > 2 || !has_option(command, "--baseline") || !has_option(command, "--current"))
    return {};
  std::string advice = "name the records by options:";
  if (words.size() == 2) advice += " --baseline " + shell_quoted(words.front());
  return advice + " --current " + shell_quoted(words.back());
}

// Names the words that the parser refused.
Error refused(const CLI::App& program, const CLI::App& command, const CLI::ParseError& error) {
  std::vector<std::string> unknown = command.remaining();
  std::erase(unknown, "--");  // it ends the options, and is none
  if (!unknown.empty()) {
    const bool command_missing = &command == &program && !unknown.front().starts_with('-');
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    const char* what = command_missing ? "command" : name.starts_with('-') ? "option" : "argument";
    std::string advice = advice_for_sides(command, unknown);
    if (advice.empty()) advice = suggestion(name, known_names(command), 0);
    return {ErrorKind::usage, fmt::format("unknown {} `{}`", what, printable(unknown.front())), {}, advice};
  }
  if (const auto* wrong_value = dynamic_cast<const OptionError*>(&error)) return wrong_value->error();
  return {ErrorKind::usage, error.what(), {}, {}};
}

// CLI11 takes the words in reverse.
void parse(CLI::App& program, std::vector<std::string> words) {
  words = with_marked_words(program, std::move(words));
  std::reverse(words.begin(), words.end());
  program.parse(std::move(words));
}

bool parses(CLI::App& program, const std::vector<std::string>& words) {
  try {
    parse(program, words);
  } catch (const CLI::ParseError&) {
    return false;
  }
  return true;
}

// Finds the default that the parser refuses. Without a file, the command line itself is wrong.
Location blamed(CLI::App& program, DefaultedLine line) {
  const std::vector<DefaultOption> defaults = std::exchange(line.defaults, {});
  if (defaults.empty() || !parses(program, line.words())) return {};
  for (const DefaultOption& one : defaults) {
    line.defaults = {one};
    if (!parses(program, line.words())) return one.where;
  }
  return {};
}

int usage_error(CLI::App& program, const CLI::ParseError& error, const DefaultedLine& line) {
  const CLI::App* command = given_command(program);
  Error usage = refused(program, *command, error);
  std::string path = command->get_name();
  for (const CLI::App* parent = command->get_parent(); parent != nullptr; parent = parent->get_parent())
    path = parent->get_name() + " " + path;
  if (usage.advice.empty()) usage.advice = fmt::format("see `{} --help`", path);
  usage.where = blamed(program, line);
  return report_error(usage);
}

}  // namespace

int run_program(int argc, char** argv) {
  on_store_wait([](const std::string& place) {
    fmt::print(stderr, "waiting for {}, which another process has locked\n", printable(place));
  });
  CLI::App program{
      "Performance CI for CUDA kernels: declare suites in YAML, measure honestly, fail builds that regress.",
      "harness"};
  program.set_version_flag("--version", "harness " HARNESS_VERSION);
  program.require_subcommand(1);
  Action chosen;
  Commands commands(program, chosen);
  add_all_commands(commands);
  // After the commands, which would inherit it.
  program.footer("First steps: harness doctor; harness list --workloads; harness time -- COMMAND");
  const Checked<DefaultedLine> line =
      with_deciding_defaults(program, std::vector<std::string>(argv + 1, argv + argc));
  if (!line) return report_errors(line.error());
  for (const std::string& note : line->notes) fmt::print(stderr, "{}\n", note);
  try {
    parse(program, line->words());
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error, *line);
  }
  return chosen(CommandLine(argc, argv));
}

}  // namespace harness
