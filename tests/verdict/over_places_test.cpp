// A change that is one of the code's place alone passes as moved; one of the code does not.
#include "harness/verdict/place/over_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "facts.h"
#include "harness/model/code/shifted_process.h"
#include "harness/verdict/decide/order.h"
#include "harness/verdict/explain.h"
#include "harness/verdict/read/summarize.h"
#include "policies.h"
#include "records.h"

namespace harness {
namespace {

using testing::Each;

// Times of a kernel at its eight places, over their mean.
using Profile = std::array<double, code_places>;
constexpr Profile rough{0.0105, -0.0137, 0.0102, -0.0132, 0.0127, 0.0017, -0.0005, -0.0077};

// The same code, `by` instructions further on.
Profile moved_by(int by, const Profile& profile = rough) {
  Profile moved;
  for (int i = 0; i < code_places; ++i)
    moved[static_cast<std::size_t>(i)] = profile[static_cast<std::size_t>((i + by) % code_places)];
  return moved;
}

struct Build {
  double us = 100;      // in the mean over the places
  Profile profile{};    // logs. As it is compiled, the code lies where the last shift has it
  double uncopied = 0;  // a log that no copy shows
  [[nodiscard]] double as_compiled() const { return us * std::exp(profile.back() + uncopied); }
};

// The profile of code that was moved, and lies `place` worse than `rough` does. Its mean is that of `rough`.
Profile lying(double place) {
  Profile profile = moved_by(3);
  const double more = rough.back() + place - profile.back();
  for (double& one : profile) one -= more / (code_places - 1);
  profile.back() = rough.back() + place;
  return profile;
}

class Draw {
 public:
  explicit Draw(unsigned seed, double process_sd) : random_(seed), noise_(0, process_sd) {}
  double operator()(double us) { return us * std::exp(noise_(random_)); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
};

// One side: plain processes, processes that confirm, and those at all places.
Series measured(const Build& build, Draw& draw, int at_place = processes_at_place) {
  Series series = series_at({});
  for (int i = 1; i <= 5; ++i) series.processes.push_back(process_at(i, draw(build.as_compiled())));
  for (int i = 1; i <= 5; ++i)
    series.processes.push_back(process_at(last_plain_process + i, draw(build.as_compiled())));
  for (int shift = 0; shift < code_places; ++shift)
    for (int turn = 1; turn <= at_place; ++turn)
      series.processes.push_back(
          process_at(shifted_process(shift, turn),
                     draw(build.us * std::exp(build.profile[static_cast<std::size_t>(shift)]))));
  return series;
}

Record side_of(const Series& series) {
  CaseRecord one = case_of("c", {series});
  for (const ProcessSamples& process : series.processes) {
    ProcessResult result;
    result.case_id = "c";
    result.process = process.process;
    one.processes.push_back(result);
  }
  Record record = record_of({one});
  record.pairing = Pairing{"run-1", Pairing::Kind::process};
  return record;
}

const Policy half_percent = [] {
  Policy policy;
  policy.margin = 0.005;
  return policy;
}();

struct Sides {
  Series baseline, current;

  [[nodiscard]] Comparison compared(const Policy& policy = half_percent) const {
    return compare(side_of(baseline), side_of(current), policy);
  }
  [[nodiscard]] ComparisonRow row() const { return only_row(compared()); }
};

// The change moved the code to a place that is worse than the baseline's.
Sides drawn(double change, unsigned seed = 1, double process_sd = 0.0005, double place = 0.0127,
            double uncopied = 0) {
  Draw draw(seed, process_sd);
  const Build before{100, rough, 0};
  const Build after{100 * std::exp(change), lying(place), uncopied};
  return {measured(before, draw), measured(after, draw)};
}

bool tells_copies(const ComparisonRow& row) {
  const Figures& figures = row.reason.figures;
  return std::any_of(figures.begin(), figures.end(),
                     [](const Figure& one) { return one.name == "at_same_place"; });
}

TEST(OverPlaces, AChangeOfThePlaceAlonePassesAsMoved) {
  const Comparison comparison = drawn(0).compared();
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::moved);
  EXPECT_EQ(row.reason.code, ReasonCode::moved);
  EXPECT_EQ(exit_code(comparison), 0);
  EXPECT_NEAR(row.ratio, std::exp(0.0127), 0.002) << "the change as it was compiled stays told";
  ASSERT_TRUE(row.over_places);
  EXPECT_NEAR(row.over_places->ratio, 1, 0.001);
  EXPECT_NEAR(row.over_places->lowest, std::exp(-0.0137 - rough.back()), 0.002);
  EXPECT_NEAR(row.over_places->highest, std::exp(0.0127 - rough.back()), 0.002);
  EXPECT_EQ(row.over_places->places, 8);
  EXPECT_EQ(row.over_places->processes, 2);
  EXPECT_THAT(row.over_places->best_shift, testing::AnyOf(0, 6)) << "-1.32 and -1.37 %";
}

TEST(OverPlaces, AChangeOfTheCodeStaysRegressed) {
  const Comparison comparison = drawn(0.01, 1, 0.0005, 0.0017).compared();
  const ComparisonRow& row = only_row(comparison);
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.reason.code, ReasonCode::worse);
  ASSERT_TRUE(row.over_places);
  EXPECT_NEAR(row.over_places->ratio, 1.01, 0.001);
  EXPECT_LT(*row.over_places->p, 0.05);
  EXPECT_EQ(exit_code(comparison), 1);
}

// A question that the places leave open is no reason to pass.
TEST(OverPlaces, WithoutCertaintyTheRowStaysRegressed) {
  Sides sides = drawn(0);
  Draw wild(7, 0.02);
  for (Series* side : {&sides.baseline, &sides.current})
    for (ProcessSamples& one : side->processes)
      if (is_shifted(one.process)) one = process_at(one.process, wild(100));
  const ComparisonRow row = sides.row();
  ASSERT_TRUE(row.over_places);
  EXPECT_GT(*row.over_places->p_passes, 0.05);
  EXPECT_EQ(row.verdict, Verdict::regressed);
}

void drop(Series& series, const std::function<bool(int)>& dropped) {
  std::erase_if(series.processes,
                [&](const ProcessSamples& one) { return is_shifted(one.process) && dropped(one.process); });
}

TEST(OverPlaces, NothingIsConcludedUnlessAllPlacesOfBothSidesAreThere) {
  const std::vector<std::function<bool(int)>> lacks{
      [](int) { return true; },                                      // a side
      [](int process) { return shift_of(process) == 5; },            // a place
      [](int process) { return process == shifted_process(2, 1); },  // a process
      [](int process) { return process != shifted_process(2, 1); },  // all but one
      [](int process) { return process % most_processes == 2; },     // a turn
  };
  for (std::size_t i = 0; i < lacks.size(); ++i)
    for (const int sides_without : {1, 2, 3}) {
      Sides sides = drawn(0);
      if ((sides_without & 1) != 0) drop(sides.baseline, lacks[i]);
      if ((sides_without & 2) != 0) drop(sides.current, lacks[i]);
      const ComparisonRow row = sides.row();
      EXPECT_EQ(row.verdict, Verdict::regressed) << i << " " << sides_without;
      EXPECT_FALSE(row.over_places) << i << " " << sides_without;
    }
}

TEST(OverPlaces, SamplesThatAreMissingOrUselessCountAsMissing) {
  for (const std::vector<double>& samples : {std::vector<double>{}, {-1.0}, {std::nan("")}}) {
    Sides sides = drawn(0);
    for (ProcessSamples& one : sides.current.processes)
      if (one.process == shifted_process(4, 2)) one.placements.front().samples = samples;
    EXPECT_EQ(sides.row().verdict, Verdict::regressed);
  }
}

TEST(OverPlaces, OnlyTheSidesOfOneRunCount) {
  const Sides sides = drawn(0);
  Record baseline = side_of(sides.baseline), current = side_of(sides.current);
  baseline.pairing.reset();
  current.pairing.reset();
  const ComparisonRow row = only_row(compare(baseline, current, half_percent));
  EXPECT_FALSE(row.over_places);
  EXPECT_NE(row.verdict, Verdict::moved);
  baseline.pairing = current.pairing = Pairing{"run-1", Pairing::Kind::session};  // processes of their own
  EXPECT_FALSE(only_row(compare(baseline, current, half_percent)).over_places);
}

// All readers of a record know it as the code lies, but for the verdict over places.
TEST(OverPlaces, NobodyElseSeesTheseProcesses) {
  const Record whole = side_of(drawn(0).current);
  const Record lies = without_shifted(whole);
  ASSERT_EQ(lies.cases.front().series.front().processes.size(), 10U);
  const Record old = side_of(series_at({100, 100.1, 99.9, 100, 100.05}));
  Record stored = old, alone = whole, alone_lies = lies;
  for (Record* one : {&stored, &alone, &alone_lies}) one->pairing.reset();
  const ComparisonRow row = only_row(compare(stored, alone, half_percent));
  const ComparisonRow same = only_row(compare(stored, alone_lies, half_percent));
  EXPECT_EQ(row.verdict, same.verdict);
  EXPECT_EQ(row.current.processes, same.current.processes);
  EXPECT_EQ(row.ratio, same.ratio);
  EXPECT_EQ(row.p, same.p);
}

// Twenty calls, of which so many take half as long again. The trimmed mean does not show them.
void call_slowly(ProcessSamples& process, int slow) {
  const double us = process.placements.front().samples.front();
  std::vector<double>& samples = process.placements.front().samples;
  samples.clear();
  for (int i = 0; i < 20; ++i) samples.push_back(us * (i < slow ? 1.5 : 1 + 0.0001 * (i % 3 - 1)));
}

TEST(OverPlaces, NoPlaceExplainsSlowCalls) {
  const std::vector<std::function<bool(int)>> slow_processes{
      [](int) { return false; },
      [](int) { return true; },
      [](int process) { return !is_shifted(process); },
      [](int process) { return confirms(process) && !is_shifted(process); },
      [](int process) { return is_shifted(process); },
  };
  for (std::size_t i = 0; i < slow_processes.size(); ++i) {
    Sides sides = drawn(0);
    for (ProcessSamples& one : sides.baseline.processes) call_slowly(one, 0);
    for (ProcessSamples& one : sides.current.processes)
      call_slowly(one, slow_processes[i](one.process) ? 2 : 0);
    EXPECT_EQ(sides.row().verdict, i == 0 ? Verdict::moved : Verdict::regressed) << i;
  }
}

// The copies lie where the code lies as compiled, too. If they are not slower there, no place is to blame.
TEST(OverPlaces, AChangeThatTheCopiesDoNotShowStaysRegressed) {
  for (const double place : {0.0, 0.005, -0.01}) {
    const Comparison comparison = drawn(0, 1, 0.0005, place, 0.022).compared();
    const ComparisonRow& row = only_row(comparison);
    EXPECT_EQ(row.verdict, Verdict::regressed) << place;
    EXPECT_EQ(row.reason.code, ReasonCode::worse);
    EXPECT_NEAR(row.reason.number("as_compiled"), std::expm1(place + 0.022), 0.002);
    EXPECT_NEAR(row.reason.number("at_same_place"), std::expm1(place), 0.002);
    EXPECT_EQ(exit_code(comparison), 1);
    ASSERT_TRUE(row.over_places);
    EXPECT_NEAR(row.over_places->ratio, 1, 0.001) << "by itself this mean would pass";
    EXPECT_LT(*row.over_places->p_passes, 0.05);
  }
}

// If something slows the copies alone, that says nothing of the builds.
TEST(OverPlaces, AnImprovementThatTheCopiesDoNotShowStaysImproved) {
  for (const double change : {0.0, 0.01}) {
    const Comparison comparison = drawn(change, 1, 0.0005, 0.002, -0.024).compared();
    const ComparisonRow& row = only_row(comparison);
    EXPECT_EQ(row.verdict, Verdict::improved) << change;
    EXPECT_EQ(row.reason.code, ReasonCode::better);
    EXPECT_NEAR(row.reason.number("at_same_place"), std::expm1(change + 0.002), 0.002);
    EXPECT_EQ(exit_code(comparison), 0);
  }
}

// Neither part is beyond the margin of 0.5 %, and both together are.
TEST(OverPlaces, PartsThatNoPlaceShowsAddUp) {
  const ComparisonRow row = drawn(0.003, 1, 0.0002, 0.002, 0.0035).row();
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_TRUE(tells_copies(row));
  EXPECT_EQ(drawn(0.003, 1, 0.0002, 0.006).row().verdict, Verdict::moved) << "all of it shown";
  EXPECT_EQ(drawn(0, 1, 0.0002, 0.006, 0.0035).row().verdict, Verdict::moved) << "a part below the margin";
}

TEST(OverPlaces, ARowThatIsSlowerForItselfTellsNothingOfItsCopies) {
  EXPECT_FALSE(tells_copies(drawn(0.01, 1, 0.0005, 0.0017).row()));
  EXPECT_FALSE(tells_copies(drawn(0).row()));
}

// Where builds slow each other in one process, times at other places of one process say nothing.
TEST(OverPlaces, ARowThatProcessesAloneDecidedIsNotAskedForItsPlaces) {
  const Sides sides = drawn(0);
  Record baseline = side_of(sides.baseline), current = side_of(sides.current);
  ASSERT_EQ(only_row(compare(baseline, current, half_percent)).verdict, Verdict::moved);
  Draw draw(2, 0.0005);
  for (Record* side : {&baseline, &current}) {
    Series alone = series_at({});
    for (int i = 1; i <= 5; ++i)
      alone.processes.push_back(
          process_at(last_confirming_process + i, draw(side == &current ? 122.5 : 120)));
    side->cases.front().alone = {alone};
  }
  const ComparisonRow row = only_row(compare(baseline, current, half_percent));
  EXPECT_THAT(row.diagnostics, testing::Contains(coded(DiagnosticCode::judged_alone)));
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_FALSE(row.over_places);
}

TEST(OverPlaces, NoPlaceExplainsAChangeOfThreePercent) {
  Draw draw(1, 0.001);
  const Sides sides{measured({100, rough, 0}, draw), measured({100, lying(0.035), 0}, draw)};
  EXPECT_EQ(sides.row().verdict, Verdict::regressed);
}

TEST(OverPlaces, AnImprovementOfThePlaceAloneIsCalledMoved) {
  const Comparison comparison = drawn(0, 1, 0.0005, -0.0132).compared();
  EXPECT_EQ(only_row(comparison).verdict, Verdict::moved);
  EXPECT_EQ(exit_code(comparison), 0);
  EXPECT_EQ(drawn(-0.01, 1, 0.0005, -0.001).row().verdict, Verdict::improved);
}

// At a lucky place slower code is faster as it was compiled.
TEST(OverPlaces, AnImprovementThatHidesASlowdownIsRed) {
  const Comparison comparison = drawn(0.01, 1, 0.0005, -0.025).compared();
  const ComparisonRow& row = only_row(comparison);
  EXPECT_LT(row.ratio, 0.99) << "as it was compiled";
  EXPECT_EQ(row.verdict, Verdict::regressed);
  EXPECT_EQ(row.reason.code, ReasonCode::worse_over_places);
  EXPECT_EQ(exit_code(comparison), 1);
  ASSERT_TRUE(row.over_places);
  EXPECT_NEAR(row.over_places->ratio, 1.01, 0.001);
}

TEST(OverPlaces, AnImprovementWhoseMeanIsOpenDoesNotPass) {
  Sides sides = drawn(0, 1, 0.0005, -0.0132);
  Draw wild(7, 0.02);
  for (Series* side : {&sides.baseline, &sides.current})
    for (ProcessSamples& one : side->processes)
      if (is_shifted(one.process)) one = process_at(one.process, wild(100));
  const Comparison comparison = sides.compared();
  EXPECT_EQ(only_row(comparison).verdict, Verdict::inconclusive);
  EXPECT_EQ(only_row(comparison).reason.code, ReasonCode::open_over_places);
  EXPECT_NE(exit_code(comparison), 0);
}

// An honest improvement passes, wherever it lies and however rough its profile is.
TEST(OverPlaces, OfAHundredTrueImprovementsNoneIsRed) {
  for (const double place : {-0.0137, 0.0, 0.01})
    for (unsigned seed = 1; seed <= 100; ++seed) {
      const Verdict verdict = drawn(-0.018, seed, 0.0005, place).row().verdict;
      EXPECT_TRUE(is_pass(verdict)) << place << " " << seed;
    }
}

TEST(OverPlaces, PlainFiguresLeaveThePlacesOut) {
  const Sides sides = drawn(0);
  Sides plain = sides;
  for (Series* side : {&plain.baseline, &plain.current}) drop(*side, [](int) { return true; });
  EXPECT_EQ(sides.row().current.processes, 5);
  EXPECT_EQ(sides.row().ratio, plain.row().ratio);
  EXPECT_EQ(sides.row().confirmation->fresh.ratio, plain.row().confirmation->fresh.ratio);
  EXPECT_EQ(sides.row().confirmation->pooled.processes, plain.row().confirmation->pooled.processes);
  const Retelling told = explain(side_of(sides.baseline), side_of(sides.current), half_percent, "*", "");
  const Retelling of_plain = explain(side_of(plain.baseline), side_of(plain.current), half_percent, "*", "");
  ASSERT_EQ(told.rows.size(), 1U);
  EXPECT_EQ(told.rows.front().current.size(), of_plain.rows.front().current.size());
  const auto summary = summarize(side_of(sides.current)).front();
  EXPECT_EQ(summary.center, summarize(side_of(plain.current)).front().center);
  EXPECT_EQ(summary.processes, 10);
}

TEST(OverPlaces, TheFormulaIsThatOfTwoStageSampling) {
  std::vector<PlaceReading> places;
  for (int i = 0; i < code_places; ++i) places.push_back({{0.01 * i + 0.001, 0.01 * i - 0.001}, 0, {}});
  const auto effect = effect_over_places(places);
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->test.difference, 0.035, 1e-12);
  EXPECT_NEAR(effect->test.standard_error, std::sqrt(2e-6 / 16), 1e-12)
      << "no share of the spread over places";
  EXPECT_EQ(effect->test.degrees_of_freedom, 8);
  EXPECT_NEAR(effect->sd, 0.01 * std::sqrt(6.0), 1e-12);
  places.pop_back();
  EXPECT_FALSE(effect_over_places(places));
}

// A loop whose time is the same at all places but one, which is `gain` better, and not where it lies.
ComparisonRow with_better_place(double gain, unsigned seed, double uncopied = 0, double process_sd = 0.0005) {
  Profile profile{};
  profile[2] = -gain;
  Draw draw(seed, process_sd);
  const Series baseline = measured({100, {}, uncopied}, draw),
               current = measured({101.5, profile, uncopied}, draw);
  return Sides{baseline, current}.row();
}

TEST(OverPlaces, TheBestPlaceIsToldWithItsTime) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const ComparisonRow row = with_better_place(0.01, seed);
    ASSERT_TRUE(row.over_places);
    EXPECT_EQ(row.over_places->best_shift, 2);
    EXPECT_NEAR(row.over_places->best / row.current.center, std::exp(-0.01), 0.002);
  }
}

// Copies may take longer than the code as compiled at the same place, as large loops do.
TEST(OverPlaces, WhatTheBestPlaceGivesIsToldByCopiesAlone) {
  const ComparisonRow row = with_better_place(0.01, 1, -0.008);
  ASSERT_TRUE(row.over_places);
  EXPECT_NEAR(row.over_places->best / row.current.center, std::exp(-0.01), 0.002);
}

// One of eight equal places is the best by chance.
TEST(OverPlaces, NoPlaceIsBestUnlessThatIsShown) {
  int told = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const ComparisonRow row = with_better_place(0, seed);
    ASSERT_TRUE(row.over_places);
    if (row.over_places->best_shift == shift_to_same_place)
      EXPECT_EQ(row.over_places->best, row.current.center);
    else
      ++told;
  }
  EXPECT_LE(told, 10) << "5 % of 200";
}

// How many of so many runs end with this verdict.
int count(Verdict verdict, double change, double place, double process_sd, int runs) {
  int found = 0;
  for (int i = 0; i < runs; ++i)
    found +=
        drawn(change, 100U + static_cast<unsigned>(i), process_sd, place).row().verdict == verdict ? 1 : 0;
  return found;
}

TEST(OverPlaces, OfAHundredChangesOfThePlaceNoneIsRed) {
  for (const double place : {0.0105, 0.0127, 0.015})
    EXPECT_EQ(count(Verdict::regressed, 0, place, 0.0005, 100), 0) << place;
  EXPECT_LE(count(Verdict::regressed, 0, 0.0127, 0.001, 100), 5) << "ratios of processes vary by 0.14 %";
}

TEST(OverPlaces, ATrueOnePercentIsFoundInNineteenOfTwenty) {
  EXPECT_GE(count(Verdict::regressed, 0.01, 0.0017, 0.001, 100), 95);
  EXPECT_GE(count(Verdict::regressed, 0.01, 0.0105, 0.001, 100), 95) << "at a bad place, too";
  EXPECT_EQ(count(Verdict::moved, 0.01, 0.0105, 0.002, 100), 0);
}

// At the margin itself, at most one in twenty passes, wherever the change is.
TEST(OverPlaces, AChangeOfJustTheMarginRarelyPasses) {
  EXPECT_LE(count(Verdict::moved, 0.005, 0.0105, 0.0005, 200), 10);
  int unshown = 0;
  for (unsigned seed = 1; seed <= 200; ++seed)
    unshown += drawn(0, seed, 0.0005, 0.006, 0.005).row().verdict == Verdict::moved ? 1 : 0;
  EXPECT_LE(unshown, 10);
}

// As it lies, the code is not slower. `place`: how much better it lies than the baseline does.
Sides hidden(double change, double place, unsigned seed = 1, double process_sd = 0.0005,
             double uncopied = 0) {
  return drawn(change, seed, process_sd, -place, uncopied);
}

TEST(OverPlaces, ASlowdownThatItsPlaceHidesIsRed) {
  for (const double place : {0.007, 0.01, 0.013}) {
    const Comparison comparison = hidden(0.01, place).compared();
    const ComparisonRow& row = only_row(comparison);
    EXPECT_LT(row.ratio, 1.005) << "as it was compiled";
    EXPECT_EQ(row.verdict, Verdict::regressed) << place;
    EXPECT_EQ(row.reason.code, ReasonCode::worse_over_places);
    EXPECT_EQ(exit_code(comparison), 1);
    ASSERT_TRUE(row.over_places);
    EXPECT_NEAR(row.over_places->ratio, 1.01, 0.001);
  }
}

TEST(OverPlaces, ASlowdownThatIsUndecidedAsCompiledIsRed) {
  const Sides sides = hidden(0.01, 0.0055);
  Sides plain = sides;
  for (Series* side : {&plain.baseline, &plain.current}) drop(*side, [](int) { return true; });
  ASSERT_EQ(plain.row().verdict, Verdict::inconclusive);
  EXPECT_EQ(sides.row().verdict, Verdict::regressed);
  EXPECT_FALSE(sides.row().processes_needed);
}

TEST(OverPlaces, ARowThatPassesStaysAsItWasUnlessItsMeanIsWorse) {
  for (const double change : {-0.01, 0.0, 0.002, 0.004})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Sides sides = hidden(change, change, seed);
      Sides plain = sides;
      for (Series* side : {&plain.baseline, &plain.current}) drop(*side, [](int) { return true; });
      const ComparisonRow row = sides.row();
      EXPECT_EQ(row.verdict, plain.row().verdict) << change << " " << seed;
      EXPECT_EQ(row.reason.code, plain.row().reason.code);
      EXPECT_TRUE(row.over_places) << "the figures are told";
    }
}

// A change of the copies alone is no change of the build.
TEST(OverPlaces, ARowThatPassesIsNotRedByCopiesThatDoOtherwise) {
  const ComparisonRow row = hidden(0.01, 0, 1, 0.0005, -0.01).row();
  EXPECT_TRUE(is_pass(row.verdict));
  EXPECT_NEAR(row.over_places->ratio, 1.01, 0.001);
}

// How a hundred hidden slowdowns of 1 %, and as many moves alone, end.
TEST(OverPlaces, AHiddenOnePercentIsFoundInNineteenOfTwentyAndMovesAloneNever) {
  int found = 0, red = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    found += hidden(0.01, 0.009, seed, 0.0008).row().verdict == Verdict::regressed ? 1 : 0;
    for (const double place : {-0.004, 0.0, 0.004})
      red += hidden(0, place, seed).row().verdict == Verdict::regressed ? 1 : 0;
  }
  EXPECT_GE(found, 95);
  EXPECT_EQ(red, 0);
}

// As it was compiled, the row is no worse than the baseline: a ceiling holds what the places found against
// it.
TEST(OverPlaces, AWaiverHoldsTheMeanOverThePlacesAgainstItsCeiling) {
  const auto under = [](double ceiling) {
    Policy policy = waiving({waiver("c", ceiling)});
    policy.margin = 0.005;
    return hidden(0.01, 0.01).compared(policy);
  };
  const Comparison comparison = under(0.008);
  const ComparisonRow& row = only_row(comparison);
  ASSERT_EQ(row.reason.code, ReasonCode::worse_over_places);
  ASSERT_LT(row.interval->hi, 1.008) << "as it was compiled, the ceiling would hold";
  EXPECT_FALSE(row.waiver);
  EXPECT_EQ(exit_code(comparison), 1);
  EXPECT_EQ(comparison.waivers[0].state, WaiverUse::State::exceeded);
  EXPECT_EQ(exit_code(under(0.02)), 0);
}

// A hidden slowdown is as bad as its mean over the places, not as its change as compiled.
TEST(OverPlaces, AWorseHiddenSlowdownComesFirst) {
  ComparisonRow mild, bad;
  for (ComparisonRow* row : {&mild, &bad}) {
    row->verdict = Verdict::regressed;
    row->reason = {ReasonCode::worse_over_places};
    row->over_places = OverPlaces{};
  }
  mild.case_id = "mild";
  mild.ratio = 1.001;
  mild.over_places->ratio = 1.006;
  bad.case_id = "worse";
  bad.ratio = 0.99;
  bad.over_places->ratio = 1.02;
  std::vector<ComparisonRow> rows{mild, bad};
  sort_worst_first(rows);
  EXPECT_EQ(rows.front().case_id, "worse");
}

// So many rows that pass are asked together.
constexpr int rows_together = 10;

// Whether any of them becomes red, where the copies change by `copied` and the build itself by `copied` and
// `uncopied`, both logs.
bool any_red(double copied, double uncopied, unsigned seed) {
  Draw draw(seed, 0.0005);
  std::vector<ComparisonRow> rows(rows_together);
  std::vector<Evidence> evidence(rows_together);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparisonRow& row = rows[i];
    row.case_id = "c";
    row.metric = "gpu_time";
    row.verdict = Verdict::unchanged;
    row.margin = 0.005;
    row.alpha = 0.01;
    row.ratio = 1;
    row.p = 1;
    row.baseline.center = row.current.center = 100;
    Series before = series_at({}), after = series_at({});
    std::vector<double> as_compiled;
    for (int process = 0; process < 5; ++process)
      as_compiled.push_back(std::log(draw(100 * std::exp(copied + uncopied + rough.back())) /
                                     draw(100 * std::exp(rough.back()))));
    for (int shift = 0; shift < code_places; ++shift)
      for (int turn = 1; turn <= processes_at_place; ++turn) {
        const double us = 100 * std::exp(rough[static_cast<std::size_t>(shift)]);
        before.processes.push_back(process_at(shifted_process(shift, turn), draw(us)));
        after.processes.push_back(process_at(shifted_process(shift, turn), draw(us * std::exp(copied))));
      }
    evidence[i].row = i;
    const auto weighed = weigh_places(row, before, after, as_compiled, {});
    if (!weighed) return ADD_FAILURE() << "the places were not weighed", true;
    evidence[i].places = *weighed;
  }
  settle_places(rows, evidence);
  return std::any_of(rows.begin(), rows.end(),
                     [](const ComparisonRow& row) { return row.verdict == Verdict::regressed; });
}

// The mean over the places is at the margin, or the change less what its place makes of it. 1 % of 1000 are
// 10, and more than 20 come by chance once in 500 such tests.
TEST(OverPlaces, OfTenRowsAtTheMarginAnyIsRedInOneRunOfAHundred) {
  const double margin = std::log1p(0.005);
  int by_copies = 0, by_rest = 0;
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    by_copies += any_red(margin, 0.0025, seed) ? 1 : 0;
    by_rest += any_red(margin + 0.0025, -0.0025, seed) ? 1 : 0;
  }
  EXPECT_LE(by_copies, 20);
  EXPECT_LE(by_rest, 20);
}

}  // namespace
}  // namespace harness
