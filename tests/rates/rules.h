// Rules: ways of calling cases of a pair of records slower, those that are common and the harness's own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"
#include "harness/study/peers/peer_rules.h"
#include "sessions.h"

namespace harness {

// The cases that a rule calls slower, and those that it leaves undecided.
struct Called {
  std::vector<std::string> slower, undecided;
};

// A rule. Called from several threads at once.
using Slower = std::function<Called(const Record& baseline, const Record& current)>;

// The rule of most comparers: Welch's two-sided test on all samples as if they were independent; a change
// counts when it is also larger than `least_change` of the mean.
Slower raw_welch(double alpha, bool without_outliers, double least_change, bool corrected);

// The rule of another tool, asked about each case by itself.
Slower each_case(const peers::PeerRule& rule);

// The verdicts of compare(), at the looks if any are given.
Slower of_policy(const Policy& policy, const std::vector<int>& looks = {});

}  // namespace harness
