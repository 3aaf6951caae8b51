// Standing: how a row bears on the build, and which policy and waivers made it so. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/document.h"
#include "harness/model/results/comparison.h"

namespace harness::report {

// The effect of a row on the exit code.
enum class Effect {
  passes,   // nothing
  allowed,  // nothing, but only because of `--allow` or a waiver
  fails,    // it alone would make the exit code other than 0
};
Effect effect_of(const ComparisonRow& row, const Policy& policy);

// "waived until 2026-12-31: the new layout costs 2 % for now (#12)", "informative: it decides nothing";
// "" for a row that decides.
std::string standing_words(const ComparisonRow& row);

// One line a kernel that differs, largest share of the change first.
std::vector<std::string> kernel_words(const ComparisonRow& row);

// The part of the policy that is no default, in one line: "alpha 1 % (command line)", or "".
std::string policy_words(const Comparison& comparison);

struct WaiverNote {
  std::string pattern;  // of cases, with the metric where it is for one
  std::string text;     // "holds until 2026-12-31 up to +5 %: reason (issue); 2 results pass because of it"
  std::string where;    // "waivers.yaml:3", or ""
  std::vector<std::string> advice;
  Paint paint = Paint::plain;
};
std::vector<WaiverNote> waiver_notes(const Comparison& comparison);

}  // namespace harness::report
