// ChangeCluster: lasting changes of many series that came with the same commits, which are one cause. Made by
// study/change_clusters.h. Plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace harness {

struct ChangeMember {
  std::size_t trend = 0;   // into the trends given
  std::size_t change = 0;  // of that trend
};

struct ChangeCluster {
  std::string before;  // the commits in (before, first] hold the cause
  std::string first;
  bool worse = false;
  int distance = 0;                        // of `first`, as a TrendPoint has it
  std::vector<ChangeMember> members = {};  // the largest change first
};

}  // namespace harness
