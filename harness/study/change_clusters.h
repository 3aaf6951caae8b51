// Finds the causes of lasting changes. Pure.
#pragma once

#include <vector>

#include "harness/model/results/case_trend.h"
#include "harness/model/results/change_cluster.h"

namespace harness {

// Of the changes that matter and decide: one cluster a range of commits and direction, the newest first.
std::vector<ChangeCluster> cluster_changes(const std::vector<Trend>& trends);

}  // namespace harness
