// The data that the site's script draws, packed (page/packed.h). page/src/history_data.ts describes it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/model/results/case_trend.h"
#include "harness/report/media/page/page_json.h"

namespace harness::report {

// The points that the pages of a suite share: each commit with its record, the oldest first.
class SharedPoints {
 public:
  explicit SharedPoints(const std::vector<Trend>& trends);

  [[nodiscard]] std::size_t place_of(const TrendPoint& point) const {
    return places_.at({point.commit, point.record});
  }
  [[nodiscard]] std::string packed() const;
  // [commit, date, subject, record] of each.
  [[nodiscard]] Json commits() const;

 private:
  std::vector<const TrendPoint*> points_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

// A series, whose points are places in `points`.
Json series_json(const Trend& trend, const SharedPoints& points);

// The series of a page.
std::string packed_series(const std::vector<const Trend*>& trends, const SharedPoints& points);

}  // namespace harness::report
