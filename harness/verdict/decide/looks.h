// Looks (interim analyses): the numbers of processes a side at which a result may be judged. They are
// declared before anything is measured, so that an undecided case may be continued without more false alarms.
// The rule: looks.md. Pure.
#pragma once

#include <optional>
#include <vector>

#include "harness/stats/hypothesis/contrast.h"
#include "harness/verdict/check/condition_checks.h"
#include "harness/verdict/decide/slow_calls.h"

namespace harness {

// The evidence of one look at a pair. Effects are logs of ratios, signed so that positive is worse.
struct LookEvidence {
  int number = 1;                             // among those declared, from 1
  std::optional<stats::Moments> differences;  // log ratios of the processes that measured both sides, or of
                                              // pairs in turn: `contrast` is their mean
  stats::Contrast contrast;                   // before the other cases tell which variance is usual
  std::optional<SlowCalls> slow_calls;
  double half_tick = 0;  // log; of a clock whose steps are coarser than the margin, else 0
  // Set by test_looks(), from here on to p_better.
  std::optional<Moderation> moderation;  // absent where too few cases tell what is usual
  double usual_freedom = 0;              // that were added to the contrast's own
  stats::TTest effect;
  stats::Bounds bounds;  // of the effect, at 1 - 2 alpha_to_pass()
  bool enough_processes = false;
  std::optional<Reason> doubt;  // why no verdict may rest on the pair
  LoadDoubts load;              // why a certain verdict may not
  double p_worse = 1;           // of this look alone
  double p_better = 1;
  double p_passes = 1;
  Side baseline, current;

  [[nodiscard]] bool counts() const { return enough_processes && !doubt; }
};

// The highest number of a process that the case tried, but for those that measured it again, alone or at
// other places.
int processes_tried(const CaseRecord& record);

// How many of its declared looks a case has reached: those at no more processes than it tried. The processes
// of a look that has not ended do not count yet.
std::size_t looks_reached(const CaseRecord& current, const std::vector<int>& looks);

// Fills the row of a case that has not reached its first look.
void await_first_look(ComparisonRow& row);

// Sets the look of a row that was judged without a test, by values that never vary: the first at `least`
// processes or more, or the last of those `reached`.
void tell_exact_look(ComparisonRow& row, std::size_t reached, int least);

// The test that so many processes would make if the variances were those of `look`.
stats::TTest planned_test(const LookEvidence& look, double baseline, double current);

// The next declared look of an undecided row; std::nullopt where no remaining look has an even chance to
// decide. A look decides an effect within a standard error of the estimate in two ways: it calls it at the
// level `beyond`, or passes it at the level `inside`. `baseline`: the processes of that side, which does not
// grow.
std::optional<int> next_look(const LookState& state, const LookEvidence& last, int baseline, double margin,
                             double beyond, double inside);

// {processes, 2 processes, 4 processes}.
std::vector<int> default_looks(int processes);

}  // namespace harness
