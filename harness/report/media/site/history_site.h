// The site of `harness history --html`: an index, a page a suite, a page a case, and what they share. Static
// files, which need neither a server nor a network. Without JavaScript everything but the pictures is there.
// Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/results/case_trend.h"
#include "harness/model/results/change_cluster.h"

namespace harness::report {

// A suite along its branch.
struct SiteSuite {
  HistoryReport history;
  std::vector<ChangeCluster> clusters;
  CaseVerdicts verdicts = {};
};

struct SiteLinks {
  std::string commit;  // a URL that holds {commit}; "": commits are no links
  std::string record;  // a URL that holds {record}
};

// Writes a file of the site; `path` is relative to its folder.
using WritePage = std::function<Status(const std::string& path, const std::string& text)>;

Status write_history_site(const std::vector<SiteSuite>& suites, const SiteLinks& links,
                          const WritePage& write);

}  // namespace harness::report
