// The decisions of an audit, without a device.
#include "harness/measure/case/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace harness {
namespace {

constexpr int placements = 10;
constexpr int samples = 20;

// The sample before which each placement is audited; -1: none.
std::vector<int> audited_samples(Audit& audit, Seconds duration, Seconds sampling_of_placement) {
  std::vector<int> all;
  Seconds sampling = 0;
  for (int placement = 0; placement < placements; ++placement) {
    audit.begin_placement();
    int found = -1;
    sampling += sampling_of_placement;
    for (int taken = 0; taken <= samples; ++taken)
      if (audit.due(static_cast<std::size_t>(taken), taken == samples, sampling)) {
        EXPECT_EQ(found, -1);
        found = taken;
        audit.audited(duration);
      }
    all.push_back(found);
  }
  return all;
}

TEST(Audit, VerifiesOneCallOfEachPlacementThatItsNonceChooses) {
  Audit one(1, 7, placements, samples);
  Audit same(1, 7, placements, samples);
  Audit other(2, 7, placements, samples);
  const std::vector<int> chosen = audited_samples(one, 0, 1);
  EXPECT_EQ(chosen, audited_samples(same, 0, 1));
  EXPECT_NE(chosen, audited_samples(other, 0, 1));
  const std::set<int> different(chosen.begin(), chosen.end());
  EXPECT_FALSE(different.contains(-1));
  EXPECT_GT(different.size(), 4U);
}

TEST(Audit, VerifiesAPlacementThatEndsEarlyAtItsEnd) {
  Audit audit(1, 7, placements, 1'000'000);
  audit.begin_placement();
  EXPECT_FALSE(audit.due(5, false, 1));
  EXPECT_TRUE(audit.due(5, true, 1));
}

TEST(Audit, CostsNoMoreThanAShareOfTheSamplingExceptInThreePlacements) {
  for (std::uint64_t nonce = 0; nonce < 20; ++nonce) {
    Audit audit(nonce, 7, placements, samples);
    const std::vector<int> chosen = audited_samples(audit, 100, 0.01);
    const auto without = std::count(chosen.begin(), chosen.end(), -1);
    EXPECT_LE(without, placements - 3) << nonce;
    EXPECT_GE(without, placements - 4) << nonce << ": the first audit has cost nothing yet";
  }
}

TEST(Audit, AuditsACaseOfFewPlacementsEightTimes) {
  EXPECT_EQ(Audit(1, 7, 10, samples).audits_in_placement(), 1);
  EXPECT_EQ(Audit(1, 7, 3, samples).audits_in_placement(), 3);
  EXPECT_EQ(Audit(1, 7, 1, samples).audits_in_placement(), 8);
}

TEST(Audit, TakesInputsAgainWhereMakingThemTakesLong) {
  Audit audit(1, 7, placements, samples);
  const Audit::Inputs first = audit.next_inputs();
  audit.made_inputs(1);
  const Audit::Inputs second = audit.next_inputs();
  EXPECT_TRUE(first.unseen);
  EXPECT_FALSE(second.unseen);
  EXPECT_EQ(first.seed, second.seed);
  Audit quick(1, 7, placements, samples);
  quick.made_inputs(1e-6);
  EXPECT_TRUE(quick.next_inputs().unseen);
  EXPECT_NE(quick.next_inputs().seed, first.seed);
}

TEST(Audit, PoisonNeverHasOneValueOnly) {
  Audit audit(1, 7, placements, samples);
  std::set<int> bytes;
  for (int i = 0; i < 40; ++i) bytes.insert(audit.next_poison().byte);
  EXPECT_TRUE(bytes.contains(0xFF));
  EXPECT_GT(bytes.size(), 5U);
}

TEST(Audit, ACallThatIsSlowerOnlyOnNewInputsIsFoundByEightInARow) {
  Audit audit(1, 7, placements, samples);
  for (int i = 0; i < Audit::slow_audits; ++i) {
    EXPECT_FALSE(audit.slower_when_audited());
    audit.timed({.usual = 1e-6, .unseen = 600e-6, .sample = 1e-6});
  }
  ASSERT_TRUE(audit.slower_when_audited());
  EXPECT_EQ(audit.slower_when_audited()->unseen, 600e-6);
}

TEST(Audit, OneSlowCallIsNoise) {
  Audit audit(1, 7, placements, samples);
  for (int i = 0; i < 50; ++i) {
    audit.timed({.usual = 10e-6, .unseen = i % 8 == 0 ? 12e-6 : 600e-6, .sample = 10e-6});
    EXPECT_FALSE(audit.slower_when_audited());
  }
  EXPECT_TRUE(audit.suspects());
  audit.timed({.usual = 10e-6, .unseen = 29e-6, .sample = 10e-6});
  EXPECT_FALSE(audit.suspects());
}

TEST(Audit, ACallWhoseTimeIsLessThanWhatPassedIsFoundByEightInARow) {
  Audit audit(1, 7, placements, samples);
  for (int i = 0; i < Audit::slow_audits; ++i) {
    EXPECT_FALSE(audit.clock_differs());
    audit.clocked({.timed = 1e-6, .passed = 900e-6});
  }
  EXPECT_TRUE(audit.clock_differs());
  audit.clocked({.timed = 500e-6, .passed = 900e-6});
  EXPECT_FALSE(audit.clock_differs());
}

}  // namespace
}  // namespace harness
