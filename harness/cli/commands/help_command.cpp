// Texts that are made from the declaration of the commands: help, completion, the manual page.
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/declared/command_tree.h"
#include "harness/cli/declared/completion.h"
#include "harness/cli/declared/examples.h"
#include "harness/cli/declared/man_page.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/options/typed_option.h"

namespace harness {
namespace {

struct HelpArguments {
  std::vector<std::string> path;
  const CLI::App* program = nullptr;
};

int help(const HelpArguments& arguments) {
  const CLI::App* command = arguments.program;
  std::string above;
  for (const std::string& word : arguments.path) {
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const CLI::App* one : shown_commands(*command)) {
      known.push_back(one->get_name());
      if (one->get_name() == word) found = one;
    }
    if (found == nullptr)
      return report_error({ErrorKind::usage,
                           fmt::format("unknown command `{}`", printable(word)),
                           {},
                           suggestion(word, known, known.size())});
    above += (above.empty() ? "" : " ") + command->get_name();
    command = found;
  }
  // App::help() of the program would print the help of the parsed command, which is `help`.
  const std::string path = above.empty() ? command->get_name() : above + " " + command->get_name();
  fmt::print("{}", command->get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal));
  return exit_ok;
}

struct CompletionArguments {
  Shell shell = Shell::bash;
  const CLI::App* program = nullptr;
};

int completion(const CompletionArguments& arguments) {
  fmt::print("{}", completion_script(*arguments.program, arguments.shell));
  return exit_ok;
}

struct ManArguments {
  const CLI::App* program = nullptr;
};

int man(const ManArguments& arguments) {
  fmt::print("{}", man_page(*arguments.program));
  return exit_ok;
}

}  // namespace

void add_help(Commands& commands) {
  auto& [command, arguments] = commands.add("help", "Print the help of a command", help);
  command.add_option("command", arguments.path, "such as `run` or `baseline promote`")->type_name("COMMAND");
  arguments.program = &commands.parent();
  add_examples(command, {"harness help run", "harness help baseline promote"});

  auto& completions = commands.add("completion", "Print what completes commands in a shell", completion);
  completions.arguments.program = &commands.parent();
  add_choice(completions.command, "shell", completions.arguments.shell, "the shell")->required();
  add_examples(completions.command, {"source <(harness completion bash)"});

  auto& manual = commands.add("man", "Print the manual page", man);
  manual.arguments.program = &commands.parent();
  add_examples(manual.command, {"harness man | man -l -"});
}

}  // namespace harness
