// The ranges that a profiler's timeline shows.
#include "harness/device/range_stack.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

using testing::ElementsAre;

class RangeStackTest : public testing::Test {
 protected:
  std::vector<std::string> open_;  // now, outermost first
  int unbalanced_ = 0;
  std::unique_ptr<RangeStack> stack_ = std::make_unique<RangeStack>(
      RangeStack::Timeline{[this](const std::string& name) { open_.push_back(name); },
                           [this] {
                             if (open_.empty())
                               ++unbalanced_;
                             else
                               open_.pop_back();
                           }});
};

TEST_F(RangeStackTest, NestsSuiteProcessCasePlacementAndPhase) {
  stack_->open("suite fusion");
  stack_->enter({"a/x", 2, 0});
  stack_->open("sampling");
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 2", "a/x", "placement 1", "sampling"));
  stack_->close();
  stack_->enter({"a/x", 2, 1});
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 2", "a/x", "placement 2"));
  stack_->enter({"a/x", 2, -1});
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 2", "a/x", "between placements"));
}

TEST_F(RangeStackTest, ClosesAllThatStandsInsideWhatEnds) {
  stack_->open("suite fusion");
  stack_->enter({"a/x", 2, 0});
  stack_->open("sampling");
  stack_->enter({"b/y", 2, 0});
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 2", "b/y", "placement 1"));
  stack_->close();  // of the phase that has ended already
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 2", "b/y", "placement 1"));
  stack_->enter({"b/y", 3, 0});
  EXPECT_THAT(open_, ElementsAre("suite fusion", "process 3", "b/y", "placement 1"));
}

TEST_F(RangeStackTest, ClosesEverythingInTheEndAndNothingTwice) {
  stack_->close();
  stack_->open("preheat");
  stack_->close();
  stack_->close();
  stack_->enter({"a/x", 1, 0});
  stack_->open("sampling");
  stack_.reset();
  EXPECT_TRUE(open_.empty());
  EXPECT_EQ(unbalanced_, 0);
}

}  // namespace
}  // namespace harness
