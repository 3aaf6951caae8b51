// The decisions of an audit, without a device.
#include "harness/measure/case/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace harness {
namespace {

constexpr int placements = 10;
constexpr int samples = 20;

Audit::Case with_nonce(std::uint64_t nonce, int of_placements = placements) {
  return {.nonce = nonce, .seed = 7, .placements = of_placements, .samples = samples};
}

// The samples after which each placement is audited.
std::vector<std::vector<int>> audited_samples(const Audit::Case& audited, Seconds duration,
                                              Seconds sampling_of_placement) {
  Audit audit(audited);
  std::vector<std::vector<int>> all;
  Seconds sampling = 0;
  for (int placement = 0; placement < audited.placements; ++placement) {
    audit.begin_placement();
    all.emplace_back();
    sampling += sampling_of_placement;
    for (int taken = 0; taken <= samples; ++taken)
      if (audit.due(static_cast<std::size_t>(taken), taken == samples, sampling)) {
        all.back().push_back(taken);
        audit.audited(duration);
      }
  }
  return all;
}

std::size_t count(const std::vector<std::vector<int>>& chosen) {
  std::size_t all = 0;
  for (const std::vector<int>& one : chosen) all += one.size();
  return all;
}

TEST(Audit, IsMadeInOneProcessOfACaseAndInOneOfFive) {
  const auto chosen = [](std::uint64_t draw, int processes) {
    int count = 0;
    for (int process = 1; process <= processes; ++process)
      count += Audit::chosen(draw, processes, process) ? 1 : 0;
    return count;
  };
  for (std::uint64_t draw = 1; draw < 100; ++draw) {
    for (const int processes : {1, 2, 3, 5})
      EXPECT_EQ(chosen(draw, processes), 1) << draw << ", " << processes;
    EXPECT_EQ(chosen(draw, 20), 4) << draw;
  }
  EXPECT_TRUE(Audit::chosen(0, 5, 4));
  EXPECT_NE(Audit::chosen(1, 5, 3), Audit::chosen(2, 5, 3)) << "drawn";
  Audit::Case other = with_nonce(1);
  other.chosen = false;
  EXPECT_EQ(count(audited_samples(other, 0, 1)), 0U);
}

// Nothing is learned from the processes before.
TEST(Audit, IsMadeInSomeOfTheOtherProcessesToo) {
  int chosen = 0;
  for (std::uint64_t nonce = 0; nonce < 1000; ++nonce) chosen += Audit::chosen_besides(nonce, 7) ? 1 : 0;
  EXPECT_GT(chosen, 25);
  EXPECT_LT(chosen, 75);
}

TEST(Audit, FollowsOneSampleOfEachPlacementThatItsNonceChooses) {
  const auto chosen = audited_samples(with_nonce(1), 0, 1);
  EXPECT_EQ(chosen, audited_samples(with_nonce(1), 0, 1));
  EXPECT_NE(chosen, audited_samples(with_nonce(2), 0, 1));
  std::set<int> different;
  for (const std::vector<int>& one : chosen) {
    ASSERT_EQ(one.size(), 1U);
    EXPECT_GE(one[0], 1);
    different.insert(one[0]);
  }
  EXPECT_GT(different.size(), 4U);
}

TEST(Audit, FollowsAtMostTwoSamplesWherePlacementsAreFew) {
  std::set<std::size_t> counts;
  for (std::uint64_t nonce = 0; nonce < 50; ++nonce)
    for (const std::vector<int>& one : audited_samples(with_nonce(nonce, 2), 0, 1)) counts.insert(one.size());
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 2}));
}

TEST(Audit, OfAPlacementThatEndsEarlyIsAtItsEnd) {
  Audit::Case endless = with_nonce(1);
  endless.samples = 1'000'000;
  Audit audit(endless);
  audit.begin_placement();
  EXPECT_FALSE(audit.due(5, false, 1));
  EXPECT_TRUE(audit.due(5, true, 1));
}

TEST(Audit, ThatIsCheapIsMadeInEachPlacement) {
  EXPECT_EQ(count(audited_samples(with_nonce(1), 0.9e-3, 0)), 10U);
}

// However much an audit costs, and from the first on: the preparation of the case tells the cost.
TEST(Audit, CostsNoMoreThanAShareOfTheSamplingExceptOnce) {
  std::set<std::size_t> first;
  for (std::uint64_t nonce = 0; nonce < 50; ++nonce) {
    Audit::Case expensive = with_nonce(nonce);
    expensive.preparation = 10;
    const auto chosen = audited_samples(expensive, 100, 0.1);
    EXPECT_EQ(count(chosen), 1U) << nonce;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (!chosen[i].empty()) first.insert(i);
  }
  EXPECT_GT(first.size(), 5U) << "no placement is safe";
  EXPECT_FALSE(first.contains(0)) << "first calls may be honest";
  // 5 % of a placement allow all of 1 %, and every second of 10 %.
  EXPECT_EQ(count(audited_samples(with_nonce(1), 0.01, 1)), 10U);
  const std::size_t some = count(audited_samples(with_nonce(1), 0.1, 1));
  EXPECT_GE(some, 4U);
  EXPECT_LE(some, 6U);
}

TEST(Audit, TakesInputsAgainWhereMakingThemTakesLong) {
  Audit audit(with_nonce(1));
  const Audit::Inputs first = audit.next_inputs();
  audit.made_inputs(1);
  const Audit::Inputs second = audit.next_inputs();
  EXPECT_TRUE(first.unseen);
  EXPECT_FALSE(second.unseen);
  EXPECT_EQ(first.seed, second.seed);
  Audit quick(with_nonce(1));
  quick.made_inputs(1e-6);
  EXPECT_TRUE(quick.next_inputs().unseen);
  EXPECT_NE(quick.next_inputs().seed, first.seed);
}

TEST(Audit, MakesNewInputsForASuspicionWhateverTheyTake) {
  Audit audit(with_nonce(1));
  audit.made_inputs(1);
  audit.timed({.usual = 1e-6, .unseen = 600e-6, .repeated = 1e-6});
  EXPECT_TRUE(audit.next_inputs().unseen);
}

TEST(Audit, BytesAreNeverTheFirstChecks) {
  Audit audit(with_nonce(1));
  std::set<int> bytes, orders;
  for (int i = 0; i < 2000; ++i) {
    bytes.insert(audit.next_byte());
    orders.insert(audit.first_finds_results() ? 1 : 0);
  }
  EXPECT_FALSE(bytes.contains(0xFF));
  EXPECT_FALSE(bytes.contains(0)) << "fresh memory holds it";
  EXPECT_EQ(bytes.size(), 254U);
  EXPECT_EQ(orders.size(), 2U);
}

TEST(Audit, CallsThatAreAllSlowerOnNewInputsAreFound) {
  Audit audit(with_nonce(1));
  for (int i = 0; i < Audit::slow_audits; ++i) {
    EXPECT_EQ(audit.suspects(), i > 0);
    EXPECT_FALSE(audit.slower_when_audited());
    audit.timed({.usual = 1e-6, .unseen = 600e-6, .repeated = 1e-6});
  }
  EXPECT_FALSE(audit.suspects());
  ASSERT_TRUE(audit.slower_when_audited());
  EXPECT_EQ(audit.slower_when_audited()->unseen, 600e-6);
}

TEST(Audit, DisturbancesDoNotHideASlowCall) {
  std::mt19937 random(1);
  for (int run = 0; run < 200; ++run) {
    Audit audit(with_nonce(1));
    // A fourth of the calls is disturbed by far.
    const auto disturbed = [&](Seconds time) { return random() % 4 == 0 ? time + 10e-3 : time; };
    for (int placement = 0; placement < placements && !audit.slower_when_audited(); ++placement) do
        audit.timed({.usual = disturbed(10e-6), .unseen = disturbed(600e-6), .repeated = 10e-6});
      while (audit.suspects());
    EXPECT_TRUE(audit.slower_when_audited()) << run;
  }
}

TEST(Audit, DisturbancesDoNotMakeAnHonestCallSlow) {
  std::mt19937 random(1);
  for (const unsigned disturbed_of_8 : {1U, 2U, 3U})
    for (int run = 0; run < 500; ++run) {
      Audit audit(with_nonce(1));
      const auto disturbed = [&](Seconds time) {
        return random() % 8 < disturbed_of_8 ? time + 10e-3 : time;
      };
      for (int i = 0; i < 10; ++i) {
        do audit.timed({.usual = disturbed(10e-6), .unseen = disturbed(12e-6), .repeated = 8e-6});
        while (audit.suspects());
        EXPECT_FALSE(audit.slower_when_audited()) << disturbed_of_8;
      }
    }
}

TEST(Audit, WhatAProcessorLearnsOfItsInputsIsAllowed) {
  Audit::Case on_gpu = with_nonce(1);
  on_gpu.limits = Audit::on_gpu;
  Audit cpu(with_nonce(1));
  Audit gpu(on_gpu);
  for (Audit* one : {&cpu, &gpu}) one->timed({.usual = 100e-6, .unseen = 800e-6, .repeated = 100e-6});
  EXPECT_FALSE(cpu.suspects());
  EXPECT_TRUE(gpu.suspects());
}

TEST(Audit, CallsThatAreSlowOnlyOnWrittenInputsAreFound) {
  Audit::Case on_gpu = with_nonce(1);
  on_gpu.limits = Audit::on_gpu;
  Audit cpu(with_nonce(1)), gpu(on_gpu);
  for (int i = 0; i < Audit::slow_audits; ++i) {
    cpu.timed({.usual = 0.9e-3, .unseen = 0.9e-3, .repeated = 0.1e-3});
    gpu.timed({.usual = 312e-6, .unseen = 312e-6, .repeated = 29e-6});
  }
  EXPECT_TRUE(cpu.slower_when_audited());
  EXPECT_TRUE(gpu.slower_when_audited());
}

// 64 threads that wake one after the other, and 100 MB that lay in their caches before they were written.
TEST(Audit, LargeInputsAndManyThreadsMayTakeLonger) {
  Audit::Case of_large = with_nonce(1);
  of_large.limits = Audit::on_cpu_with(64, 100'000'000);
  Audit large(of_large), small(with_nonce(1));
  for (int i = 0; i < Audit::slow_audits; ++i)
    for (Audit* one : {&large, &small}) one->timed({.usual = 25e-3, .unseen = 25e-3, .repeated = 1e-3});
  EXPECT_FALSE(large.slower_when_audited());
  EXPECT_TRUE(small.slower_when_audited());
}

// A cache that writing leaves cold: after three audits it is known, and costs no more.
TEST(Audit, CallsThatAreALittleSlowerOnWrittenInputsAreNoSuspicionForLong) {
  Audit audit(with_nonce(1));
  int in_a_row = 0;
  for (int i = 0; i < 50; ++i) {
    audit.timed({.usual = 13e-6, .unseen = 22e-6, .repeated = 1e-6});
    in_a_row += audit.suspects() ? 1 : 0;
    EXPECT_FALSE(audit.slower_when_audited());
  }
  EXPECT_LE(in_a_row, 2);
}

TEST(Audit, ACallWhoseTimeIsLessThanWhatPassedIsFound) {
  Audit audit(with_nonce(1));
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
