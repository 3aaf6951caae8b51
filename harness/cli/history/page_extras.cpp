#include "harness/cli/history/page_extras.h"

#include <map>
#include <set>
#include <string>

#include "harness/study/change_clusters.h"

namespace harness {

Result<report::HistoryExtras> page_extras(Store& store, const HistoryReport& history,
                                          const report::HistoryLinks& links) {
  report::HistoryExtras extras{{}, cluster_changes(history.trends), links};
  std::map<std::string, std::set<std::string>> wanted;  // cases by record
  for (const Trend& trend : history.trends)
    for (const TrendPoint& point : trend.points) wanted[point.record].insert(trend.case_id);
  for (const auto& [record, ids] : wanted) {
    const auto cases = store.cases_of(record);
    if (!cases) return fail(cases.error());
    for (const StoredCase& one : *cases)
      if (ids.contains(one.id)) extras.verdicts[{record, one.id}] = one.waived ? "waived" : one.verdict;
  }
  return extras;
}

}  // namespace harness
