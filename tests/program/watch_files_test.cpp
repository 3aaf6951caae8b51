// A change of a watched file is seen once it has settled. Pauses are steps of the test.
#include "harness/cli/programs/watch_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/files.h"

namespace harness {
namespace {

class WatchFiles : public testing::Test {
 protected:
  WatchFiles() { write("a"); }

  void write(const std::string& text) const { std::ofstream(file_) << text; }

  // Steps are done in the pauses; false after the last. How many pauses there were.
  int pauses(const std::vector<std::function<void()>>& steps, bool& changed) {
    const FileStates before = states_of({file_});
    std::size_t next = 0;
    changed = wait_for_change({file_}, before, [&] {
      if (next == steps.size()) return false;
      steps[next++]();
      return true;
    });
    return static_cast<int>(next);
  }

  TemporaryFolder folder_;
  std::string file_ = (folder_.path() / "watched").string();
};

TEST_F(WatchFiles, WaitsUntilAChangeHasSettled) {
  bool changed = false;
  const auto nothing = [] {};
  EXPECT_EQ(pauses({nothing, [&] { write("ab"); }, [&] { write("abc"); }, nothing, nothing}, changed), 4);
  EXPECT_TRUE(changed);
}

TEST_F(WatchFiles, EndsWhenItIsToldTo) {
  bool changed = true;
  EXPECT_EQ(pauses({[] {}, [] {}}, changed), 2);
  EXPECT_FALSE(changed);
}

TEST_F(WatchFiles, SeesAFileThatComesAndGoes) {
  bool changed = false;
  const auto remove = [&] { std::filesystem::remove(file_); };
  EXPECT_EQ(pauses({remove, [] {}}, changed), 2);
  EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace harness
