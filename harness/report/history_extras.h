// HistoryExtras: what the interactive page of a history shows beside its report. Plain data.
#pragma once

#include <string>
#include <vector>

#include "harness/model/results/case_trend.h"
#include "harness/model/results/change_cluster.h"

namespace harness::report {

struct HistoryLinks {
  std::string commit;  // a URL that holds {commit}; "": commits are no links
  std::string record;  // a URL that holds {record}; "": verdicts are no links
};

struct HistoryExtras {
  CaseVerdicts verdicts = {};
  std::vector<ChangeCluster> causes = {};  // of the history's trends
  HistoryLinks links = {};
};

}  // namespace harness::report
