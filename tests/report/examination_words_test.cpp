// Every check has words, and every check that can be bad has advice of its own.
#include "harness/report/words/examination_words.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "harness/model/clock_reason.h"

namespace harness::report {
namespace {

// Checks that only inform: examine() never calls them bad.
const std::set<Check> informing{
    Check::cpu,           Check::isolated_cpus, Check::kernel,  Check::container, Check::cuda_driver,
    Check::cuda_runtime,  Check::nvcc,          Check::toolkit, Check::uuid,      Check::pci_bus,
    Check::architectures, Check::vbios,         Check::power,   Check::sm_clock,  Check::memory_clock,
    Check::measured,      Check::devices};

TEST(ExaminationWords, GiveAdviceForEveryCheckThatCanBeBad) {
  const std::string none = advice({Check::cpu, {}, Fitness::warn});
  for (const auto& [check, name] : enum_names<Check>) {
    EXPECT_EQ(advice({check, {}, Fitness::ok}), "") << name;
    EXPECT_EQ(advice({check, {}, Fitness::warn}) == none, informing.contains(check)) << name;
  }
}

TEST(ExaminationWords, AreThereForAFindingWithoutFigures) {
  const std::set<Check> silent{Check::gate};  // it quotes a figure that is always there
  for (const auto& [check, name] : enum_names<Check>)
    EXPECT_EQ(words({check, {}}).empty(), silent.contains(check)) << name;
}

TEST(ExaminationWords, TellClockReasonsApart) {
  std::map<std::string, std::string> seen;
  for (const auto& [reason, name] : enum_names<ClockReason>) {
    const std::string text = words({Check::clock_events, {{"reason", std::string(name)}}});
    EXPECT_TRUE(seen.emplace(text, name).second) << name << " and " << seen[text];
    EXPECT_EQ(text.find('_'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace harness::report
