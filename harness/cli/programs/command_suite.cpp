#include "harness/cli/programs/command_suite.h"

namespace harness {

Suite suite_of_command(const std::vector<std::string>& command) {
  Suite suite;
  suite.identity.name = command_name;
  ProgramCase& program = suite.programs.emplace_back();
  program.name.value = command_name;
  program.command = command;
  return suite;
}

}  // namespace harness
