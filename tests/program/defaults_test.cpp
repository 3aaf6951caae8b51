// Defaults become words of the command line where it says nothing itself.
#include "harness/cli/declared/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/commands/commands.h"

namespace harness {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const std::string all_kinds =
    "version: 1\nall: {store: a.db}\ncommands:\n"
    "  run: {quiet: true, against: main, report: [json=a, html=b], require-gpu: false}\n"
    "  compare: {device: cpu, store: b.db}\n";

class Defaults : public testing::Test {
 protected:
  Defaults() {
    Commands commands(program_, chosen_);
    add_all_commands(commands);
  }

  std::vector<std::string> words(const std::vector<std::string>& given, const std::string& text = all_kinds) {
    const auto line = with_defaults(program_, given, text, "d.yaml");
    if (!line) throw std::runtime_error(line.error().front().text());
    return line->words();
  }

  std::vector<int> lines(const std::string& text) {
    const auto line = with_defaults(program_, {"run"}, text, "d.yaml");
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
  for (const char* word : {"--quiet", "--against=main", "--report=json=a", "--report=html=b", "--store=a.db"})
    EXPECT_THAT(found, Contains(word));
  EXPECT_THAT(found, Not(Contains("--require-gpu")));
}

TEST_F(Defaults, GiveWayToTheCommandLine) {
  const auto found = words({"run", "suite.yaml", "--store", "mine.db", "--against=other"});
  EXPECT_THAT(found, Not(Contains("--store=a.db")));
  EXPECT_THAT(found, Not(Contains("--against=main")));
}

TEST_F(Defaults, OfACommandWinOverThoseOfAll) {
  EXPECT_THAT(words({"compare"}), ElementsAre("compare", "--store=b.db")) << "--device needs --measure";
  EXPECT_THAT(words({"compare", "--measure"}), Contains("--device=cpu"));
}

TEST_F(Defaults, LeaveOutWhatTheLineExcludes) {
  EXPECT_THAT(words({"run", "--quick"}), Not(Contains("--against=main")));
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

}  // namespace
}  // namespace harness
