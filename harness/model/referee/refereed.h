// The judgements of `harness referee`, one a case. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/units.h"
#include "harness/model/cause.h"
#include "harness/schema/enum_names.h"

namespace harness {

enum class Ruling {
  faster,      // shown faster by more than the margin
  not_slower,  // shown not slower by more than the margin
  not_faster,  // asked for: shown not faster by more than the margin
  slower,      // shown slower by more than the margin
  undecided,   // the budget was too small for either
  incorrect,   // a result of the current build is wrong
  failed,      // the current build crashed, hung or broke the rules
  unjudged,    // it cannot be judged here, or the baseline build cannot be played
};
template <>
inline constexpr auto enum_names<Ruling> = names<Ruling>({{Ruling::faster, "faster"},
                                                          {Ruling::not_slower, "not_slower"},
                                                          {Ruling::not_faster, "not_faster"},
                                                          {Ruling::slower, "slower"},
                                                          {Ruling::undecided, "undecided"},
                                                          {Ruling::incorrect, "incorrect"},
                                                          {Ruling::failed, "failed"},
                                                          {Ruling::unjudged, "unjudged"}});

struct RefereedCase {
  std::string id;
  Ruling ruling = Ruling::unjudged;
  std::string build = {};            // that the reason is about: "baseline" or "current"; "": neither
  std::optional<Cause> reason = {};  // of incorrect, failed and unjudged
  double ratio = 0;                  // current over baseline; 0: not known
  double lo = 0, hi = 0;             // its interval
  double baseline_us = 0;            // a call: the mean slope
  double current_us = 0;
  double round_sd = 0;          // of the log ratio of one round
  int rounds = 0;               // pairs of slopes
  int processes = 0;            // of each build, one after the other
  std::vector<int> calls = {};  // of the shorter and the longer batch
  std::int64_t checked = 0;     // calls whose results were checked
  double device_s = 0;          // that the device was used, in s
  double drawing_s = 0;         // that the host drew inputs and computed right answers, in s
};

struct RefereeReport {
  std::string suite;
  std::string baseline, current;  // builds, as given
  std::string device;             // its name
  double margin = 0;
  double confidence = 0;
  bool asks_faster = false;
  std::vector<RefereedCase> cases = {};
};

}  // namespace harness
