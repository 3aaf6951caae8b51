#include "harness/verdict/read/instrument_checks.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

CaseRecord with_controls(const std::vector<Control>& controls, TimingMode timing = TimingMode::events) {
  CaseRecord record;
  record.sampling.timing = timing;
  record.processes.emplace_back();  // one that told nothing
  for (const Control& control : controls) record.processes.emplace_back().control = control;
  return record;
}

const std::vector<Control> empty_kernel{{2.70, 0.51}, {2.69, 0.50}, {9.99, 0.49}};

TEST(ControlNote, GivesTheMediansOfTheProcesses) {
  const auto note = control_note(with_controls(empty_kernel), 5.5);
  ASSERT_TRUE(note);
  EXPECT_THAT(*note, AllOf(HasSubstr("2.7 us by itself"), HasSubstr("0.5 us in a batch"),
                           HasSubstr("nothing is subtracted")));
}

TEST(ControlNote, AdvisesBatchesWhereTimingIsMostOfACall) {
  EXPECT_THAT(*control_note(with_controls(empty_kernel), 5.5), HasSubstr("use `timing: batch`"));
  EXPECT_THAT(*control_note(with_controls(empty_kernel), 20), Not(HasSubstr("timing: batch")));
  EXPECT_THAT(*control_note(with_controls(empty_kernel, TimingMode::batch), 1.0),
              Not(HasSubstr("timing: batch")));
}

TEST(ControlNote, DoesNotRepeatAdviceThatIsGivenAlready) {
  const auto note = control_note(with_controls(empty_kernel), 3, true);
  ASSERT_TRUE(note);
  EXPECT_THAT(*note, AllOf(HasSubstr("2.7 us by itself"), Not(HasSubstr("timing: batch"))));
}

TEST(ControlNote, IsSilentBesideLongCallsAndWithoutAControl) {
  EXPECT_FALSE(control_note(with_controls(empty_kernel), 100));
  EXPECT_TRUE(control_note(with_controls(empty_kernel, TimingMode::batch), 100));
  EXPECT_FALSE(control_note(with_controls({}), 1));
}

}  // namespace
}  // namespace harness
