// Measures both sides of an A/B run and judges the current one by the other.
#pragma once

#include <functional>
#include <memory>

#include "harness/cli/ab/ab_measure.h"
#include "harness/cli/ab/ab_sides.h"
#include "harness/cli/options/clock_option.h"
#include "harness/cli/options/look_options.h"
#include "harness/cli/options/measuring_options.h"
#include "harness/cli/output/render_with_sources.h"
#include "harness/model/results/comparison.h"

namespace harness {

struct AbJudging {
  PairMode pair = PairMode::automatic;
  MeasuringOptions measuring;
  ClockOption clocks;
  LookOptions look;
  Policy policy;                       // with the waivers of the tree
  bool partial = false;                // some of the suite's cases are left out
  Fact<SourceCode> baseline, current;  // how the sides were found
  bool instead = false;                // in place of a stored baseline, which is missing
  std::shared_ptr<LoadedPairs> loaded = std::make_shared<LoadedPairs>();
  Seconds place_budget = 60;  // for hidden_cases()
  // Called with the complete records. Returns an exit status.
  std::function<int(const AbRecords&)> on_measured = {};
};

// Adds the report and returns the exit status. An InterruptGuard must be there.
int judge_sides(Store& store, const AbSides& sides, AbJudging how, SuiteOutputs& outputs,
                const Reproduction& made_by);

// Says that Ctrl-C ended the command, and what is left.
int stopped(const char* what);

}  // namespace harness
