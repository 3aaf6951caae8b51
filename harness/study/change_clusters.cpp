#include "harness/study/change_clusters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace harness {

std::vector<ChangeCluster> cluster_changes(const std::vector<Trend>& trends) {
  std::map<std::tuple<std::string, std::string, bool>, ChangeCluster> found;
  for (std::size_t i = 0; i < trends.size(); ++i)
    for (std::size_t j = 0; j < trends[i].changes.size(); ++j) {
      const TrendChange& change = trends[i].changes[j];
      if (trends[i].informative || !change.matters) continue;
      ChangeCluster& cluster = found[{change.before, change.first, change.worse}];
      cluster.before = change.before;
      cluster.first = change.first;
      cluster.worse = change.worse;
      cluster.distance = trends[i].points[change.index].distance;
      cluster.members.push_back({i, j});
    }
  std::vector<ChangeCluster> clusters;
  for (auto& [range, cluster] : found) {
    std::stable_sort(cluster.members.begin(), cluster.members.end(),
                     [&](const ChangeMember& a, const ChangeMember& b) {
                       const auto size = [&](const ChangeMember& one) {
                         return std::abs(std::log(trends[one.trend].changes[one.change].ratio));
                       };
                       return size(a) > size(b);
                     });
    clusters.push_back(std::move(cluster));
  }
  std::stable_sort(clusters.begin(), clusters.end(), [](const ChangeCluster& a, const ChangeCluster& b) {
    return std::tie(a.distance, b.worse) < std::tie(b.distance, a.worse);
  });
  return clusters;
}

}  // namespace harness
