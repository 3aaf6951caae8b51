#include "harness/cli/declared/command_words.h"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace harness {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

// As the program parses: `time` takes a command, `list` names.
struct Program {
  Words command, names;
  int runs = 1;

  explicit Program(Words words) {
    CLI::App program{"", "harness"};
    CLI::App* time = program.add_subcommand("time");
    add_command_words(*time, command, "the command");
    time->add_option("--runs", runs);
    program.add_subcommand("list")->add_option("names", names);
    words = with_marked_words(program, std::move(words));
    std::reverse(words.begin(), words.end());
    program.parse(std::move(words));
  }
};

// CLI11 2.1 takes each of these for a list.
TEST(CommandWords, ReachTheProgramAsTheyWereTyped) {
  const Program program(
      {"time", "--runs", "3", "--", "./tests", "[!benchmark]", "--tags", "[a,b]", "[]", "-q"});
  EXPECT_THAT(program.command, ElementsAre("./tests", "[!benchmark]", "--tags", "[a,b]", "[]", "-q"));
  EXPECT_EQ(program.runs, 3);
  EXPECT_THAT(Program({"time", "./tests", "[a,b]"}).command, ElementsAre("./tests", "[a,b]"));
  EXPECT_THAT(Program({"time", "--", "[", "]", ""}).command, ElementsAre("[", "]", ""));
}

TEST(CommandWords, LeaveOtherCommandsAlone) {
  EXPECT_THAT(Program({"list", "a", "[b,c]"}).names, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(Program({"time"}).command.empty());
}

}  // namespace
}  // namespace harness
