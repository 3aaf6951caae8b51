#include "harness/verdict/read/instrument_checks.h"

#include <gmock/gmock.h>

#include "facts.h"

namespace harness {
namespace {

CaseRecord with_controls(const std::vector<Control>& controls, TimingMode timing = TimingMode::events) {
  CaseRecord record;
  record.sampling.timing = timing;
  record.processes.emplace_back();  // one that told nothing
  for (const Control& control : controls) record.processes.emplace_back().control = control;
  return record;
}

const std::vector<Control> empty_kernel{{2.70, 0.51}, {2.69, 0.50}, {9.99, 0.49}};

TEST(Control, GivesTheMediansOfTheProcesses) {
  const auto found = control_diagnostic(with_controls(empty_kernel), 5.5);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, fact(DiagnosticCode::control, {{"call_us", 2.7}, {"batched_us", 0.5}}));
}

TEST(Control, AdvisesBatchesWhereTimingIsMostOfACall) {
  const auto advises = [](double center_us, TimingMode timing = TimingMode::events) {
    return control_diagnostic(with_controls(empty_kernel, timing), center_us)->count("advise");
  };
  EXPECT_EQ(advises(5.5), 1);
  EXPECT_EQ(advises(20), 0);
  EXPECT_EQ(advises(1.0, TimingMode::batch), 0);
}

TEST(Control, DoesNotRepeatAdviceThatIsGivenAlready) {
  const auto found = control_diagnostic(with_controls(empty_kernel), 3, true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count("advise"), 0);
}

TEST(Control, IsSilentBesideLongCallsAndWithoutAControl) {
  EXPECT_FALSE(control_diagnostic(with_controls(empty_kernel), 100));
  EXPECT_TRUE(control_diagnostic(with_controls(empty_kernel, TimingMode::batch), 100));
  EXPECT_FALSE(control_diagnostic(with_controls({}), 1));
}

}  // namespace
}  // namespace harness
