// Looks: at how many processes a side a result may be judged, declared before anything is measured, so that
// a case that is still open may be measured further without more false alarms. README.md has the rule. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/read/side.h"

namespace harness {

// What one look at a pair says. Effects are logs of ratios, signed so that positive is worse.
struct LookEvidence {
  int number = 1;                             // among those declared, from 1
  std::optional<stats::Moments> differences;  // log ratios of the processes that measured both sides, where
                                              // they shared them: `effect` is their one-sample t-test
  stats::TTest effect;
  stats::Bounds bounds;  // of the effect, at 1 - 2 alpha_of_look()
  bool enough_processes = false;
  std::string doubt;                   // why no verdict may rest on the pair, or ""
  Remedy remedy = Remedy::as_advised;  // of the doubt
  double p_worse = 1;                  // of this look alone
  double p_better = 1;
  Side baseline, current;

  [[nodiscard]] bool counts() const { return enough_processes && doubt.empty(); }
};

// Why these looks cannot be applied, or "". None at all is one look at everything.
std::string looks_obstacle(const std::vector<int>& looks);

// The highest number of a process that the case tried.
int processes_tried(const CaseRecord& record);

// How many of its declared looks a case has reached: those at no more processes than it tried. A look that
// began and did not end is not one: its processes wait for the rest.
std::size_t looks_reached(const CaseRecord& current, const std::vector<int>& looks);

// Fills the row of a case that has not reached its first look.
void await_first_look(ComparisonRow& row);

// Values that never vary need no test: the row, judged by them, was decided by the first look at `least`
// processes or more, or by the last of those `reached`.
void tell_exact_look(ComparisonRow& row, std::size_t reached, int least);

// The next declared look of an open row, when one of those left is as likely as not to settle it: to call an
// effect no more than a standard error from the estimate at the level `beyond`, or to find it inside the
// margin at the level `inside`. (A rule about width, which may stop measuring at any time.) `baseline` is
// how many processes that side has: it does not grow. std::nullopt otherwise.
std::optional<int> next_look(const LookState& state, const LookEvidence& last, int baseline, double margin,
                             double known_variance, double beyond, double inside);

// {processes, 2 processes, 4 processes}.
std::vector<int> default_looks(int processes);

}  // namespace harness
