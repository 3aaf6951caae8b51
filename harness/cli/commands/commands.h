// How a command is declared. A command is one file of this folder and one row of command_table.cpp:
//
//   struct GreetArguments {
//     std::string name;
//   };
//
//   int greet(const GreetArguments& arguments) {
//     fmt::print("hello {}\n", arguments.name);
//     return exit_ok;
//   }
//
//   void add_greet(Commands& commands) {
//     auto& [command, arguments] = commands.add("greet", "Greet somebody", greet);
//     command.add_option("name", arguments.name, "whom to greet")->required();
//   }
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "harness/cli/command_line.h"

namespace harness {

// The work of a command, once the command line is parsed. Returns the exit status: see exit_status.h.
using Action = std::function<int(const CommandLine&)>;

template <class Arguments>
struct DeclaredCommand {
  CLI::App& command;
  Arguments arguments = {};
};

// The commands of a program, or the commands below a command.
class Commands {
 public:
  // `chosen` becomes the action of the command that was given.
  Commands(CLI::App& parent, Action& chosen) : parent_(parent), chosen_(chosen) {}

  // A command that calls `run` with its arguments. They live as long as the parser.
  template <class Arguments>
  DeclaredCommand<Arguments>& add(const std::string& name, const std::string& about,
                                  int (*run)(const Arguments&, const CommandLine&)) {
    const auto declared = declare<Arguments>(name, about);
    on(declared->command,
       [declared, run](const CommandLine& line) { return run(declared->arguments, line); });
    return *declared;
  }

  // Likewise, for a command that need not know how it was called.
  template <class Arguments>
  DeclaredCommand<Arguments>& add(const std::string& name, const std::string& about,
                                  int (*run)(const Arguments&)) {
    const auto declared = declare<Arguments>(name, about);
    on(declared->command, [declared, run](const CommandLine&) { return run(declared->arguments); });
    return *declared;
  }

  // Likewise, for one of several commands that share their arguments.
  template <class Arguments>
  CLI::App& add(const std::string& name, const std::string& about, const std::shared_ptr<Arguments>& shared,
                int (*run)(const Arguments&, const CommandLine&)) {
    CLI::App& command = *parent_.add_subcommand(name, about);
    on(command, [shared, run](const CommandLine& line) { return run(*shared, line); });
    return command;
  }

  // A command that only holds others, which are added to below(command).
  CLI::App& add_group(const std::string& name, const std::string& about) {
    return *parent_.add_subcommand(name, about)->require_subcommand(1);
  }
  Commands below(CLI::App& group) { return {group, chosen_}; }

  // The program, or the group that these commands are below.
  [[nodiscard]] CLI::App& parent() { return parent_; }

 private:
  template <class Arguments>
  std::shared_ptr<DeclaredCommand<Arguments>> declare(const std::string& name, const std::string& about) {
    return std::make_shared<DeclaredCommand<Arguments>>(
        DeclaredCommand<Arguments>{*parent_.add_subcommand(name, about)});
  }

  void on(CLI::App& command, Action action) {
    command.callback([&chosen = chosen_, action = std::move(action)] { chosen = action; });
  }

  CLI::App& parent_;
  Action& chosen_;
};

// Leaves a command out of --help: programs start it, people do not.
inline void hide(CLI::App& command) {
  command.group("");
}

// Adds all commands, in the order of `harness --help`.
void add_all_commands(Commands& commands);

}  // namespace harness
