// Finds the causes of lasting changes. Pure.
#pragma once

#include <vector>

#include "harness/model/results/case_trend.h"
#include "harness/model/results/change_cluster.h"

namespace harness {

// The changes that matter and decide: one cluster for each range of commits and direction, the newest first.
std::vector<ChangeCluster> cluster_changes(const std::vector<Trend>& trends);

}  // namespace harness
