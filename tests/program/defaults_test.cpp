// Defaults become words of the command line where it says nothing itself.
#include "harness/cli/declared/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/cli/commands/commands.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string all_kinds =
    "version: 1\nall: {store: a.db}\ncommands:\n"
    "  run: {quiet: true, output: r.json, report: [json=a, html=b], require-gpu: false}\n"
    "  compare: {format: json, store: b.db}\n";

class Defaults : public testing::Test {
 protected:
  Defaults() {
    Commands commands(program_, chosen_);
    add_all_commands(commands);
  }

  std::vector<std::string> words(const std::vector<std::string>& given, const std::string& text = all_kinds) {
    const auto line = with_defaults(program_, given, {text, "d.yaml", "."});
    if (!line) throw std::runtime_error(line.error().front().text());
    return line->words();
  }

  std::vector<int> lines(const std::string& text) {
    const auto line = with_defaults(program_, {"run"}, {text, "d.yaml", "."});
    std::vector<int> found;
    if (!line)
      for (const Error& error : line.error()) found.push_back(error.where.line);
    return found;
  }

  CLI::App program_{"", "harness"};
  Action chosen_;
};

TEST_F(Defaults, StandBehindTheCommandAndBeforeWhatIsGiven) {
  const auto found = words({"run", "suite.yaml"});
  EXPECT_EQ(found.front(), "run");
  EXPECT_EQ(found.back(), "suite.yaml");
  for (const char* word :
       {"--quiet", "--output=r.json", "--report=json=a", "--report=html=b", "--store=a.db"})
    EXPECT_THAT(found, Contains(word));
  EXPECT_THAT(found, Not(Contains("--require-gpu")));
}

TEST_F(Defaults, GiveWayToTheCommandLine) {
  const auto found = words({"run", "suite.yaml", "--store", "mine.db", "--output=other.json"});
  EXPECT_THAT(found, Not(Contains("--store=a.db")));
  EXPECT_THAT(found, Not(Contains("--output=r.json")));
}

TEST_F(Defaults, OfACommandWinOverThoseOfAll) {
  EXPECT_THAT(words({"compare"}), UnorderedElementsAre("compare", "--store=b.db", "--format=json"));
}

TEST_F(Defaults, LeaveOutWhatTheLineExcludes) {
  EXPECT_THAT(words({"run", "--quick"}), Not(Contains("--output=r.json")));
}

TEST_F(Defaults, AreNoneForWhatIsNoCommand) {
  EXPECT_THAT(words({"--help"}), ElementsAre("--help"));
  EXPECT_THAT(words({"worker"}), ElementsAre("worker"));
}

TEST_F(Defaults, TellEachMistakeWithItsLine) {
  EXPECT_THAT(lines(all_kinds), IsEmpty());
  EXPECT_THAT(lines("version: 1\nal: {}\nall: {stroe: a}\ncommands:\n  rnu: {}\n  run: {margin: 5%}\n"),
              ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(lines("version: 3\n"), ElementsAre(1));
  EXPECT_THAT(lines("all: []\n"), ElementsAre(1, 1));
}

// An option that nobody thought of may have no default: those that may are listed.
TEST_F(Defaults, AreRefusedForEveryOptionThatMayDecide) {
  std::set<std::string> refused, taken;
  for (const CommandAt& one : all_commands(program_))
    for (const CLI::Option* option : shown_options(*one.command)) {
      const std::string name = long_name(*option).substr(2);
      const std::string text = "version: 1\ncommands:\n  " + one.path + ": {" + name + ": " +
                               (option->get_expected_max() == 0 ? "true" : "x") + "}\n";
      const auto line = with_defaults(program_, {"run"}, {text, "d.yaml", "."});
      (line ? taken : refused).insert(name);
    }
  for (const char* name :
       {"help",    "device",  "against",    "baseline", "current", "allow",  "margin",    "budget",
        "looks",   "measure", "no-confirm", "metric",   "anchor",  "module", "watch",     "seed",
        "save-as", "keep-in", "quick",      "profile",  "filter",  "set",    "processes", "last",
        "since",   "branch",  "record",     "claims",   "pair",    "build"})
    EXPECT_TRUE(refused.contains(name) && !taken.contains(name)) << name;
  for (const char* name : {"store", "wait", "lock-clocks", "color", "format", "quiet", "report", "html"})
    EXPECT_TRUE(taken.contains(name) && !refused.contains(name)) << name;
}

TEST_F(Defaults, WriteOnlyIntoTheTree) {
  const auto place = [](const std::string& target) {
    return "version: 1\ncommands:\n  run: {report: \"" + target + "\"}\n";
  };
  for (const char* target : {"json=v.json", "json=out/v.json,html=-", "json=a/../v.json"})
    EXPECT_THAT(lines(place(target)), IsEmpty()) << target;
  for (const char* target :
       {"json=../v.json", "json=/tmp/v.json", "json=v.json,html=../h", "json=.git/config"})
    EXPECT_THAT(lines(place(target)), ElementsAre(3)) << target;
}

}  // namespace
}  // namespace harness
