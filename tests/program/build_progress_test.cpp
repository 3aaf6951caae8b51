// The lines while a commit is built, by a clock of the test's own.
#include "harness/cli/output/build_progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace harness {
namespace {

struct Told {
  std::vector<std::string> texts;
  BuildProgress progress;
  explicit Told(bool terminal)
      : progress("main", terminal, [this](const std::string& text) { texts.push_back(text); }) {}
};

TEST(BuildProgress, IsALineAMinuteWhereNobodyWatches) {
  Told told(false);
  for (int tick = 1; tick <= 1300; ++tick) told.progress.at(0.1 * tick);
  told.progress.built();
  ASSERT_EQ(told.texts.size(), 4U);
  for (const std::string& text : told.texts) EXPECT_TRUE(text.ends_with('\n')) << text;
  EXPECT_NE(told.texts[1].find("60 s"), std::string::npos);
  EXPECT_NE(told.texts[3].find("130 s"), std::string::npos);
}

TEST(BuildProgress, IsOneLineOnATerminal) {
  Told told(true);
  for (int tick = 1; tick <= 35; ++tick) told.progress.at(0.1 * tick);
  EXPECT_EQ(told.texts.size(), 4U);
  for (const std::string& text : told.texts) {
    EXPECT_TRUE(text.starts_with('\r')) << text;
    EXPECT_FALSE(text.ends_with('\n')) << text;
  }
  told.progress.failed();
  EXPECT_EQ(told.texts.back().find("main"), std::string::npos) << "the error has the line to itself";
}

}  // namespace
}  // namespace harness
