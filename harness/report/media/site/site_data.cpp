#include "harness/report/media/site/site_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/page_json.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

constexpr DocumentFormat case_history{"harness-history-page"}, history_commits{"harness-history-commits"};

std::string packed_json(const Json& json) {
  return base64(deflated(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

// Six figures are more than a picture shows, and a third of the room.
Json rounded(double value) {
  return number(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr));
}

}  // namespace

SharedPoints::SharedPoints(const std::vector<Trend>& trends) {
  for (const Trend& trend : trends)
    for (const TrendPoint& point : trend.points)
      if (places_.emplace(std::pair(point.commit, point.record), 0).second) points_.push_back(&point);
  std::stable_sort(points_.begin(), points_.end(),
                   [](const TrendPoint* a, const TrendPoint* b) { return a->distance > b->distance; });
  for (std::size_t i = 0; i < points_.size(); ++i) places_[{points_[i]->commit, points_[i]->record}] = i;
}

std::string SharedPoints::packed() const {
  return packed_json(
      {{"format", history_commits.name}, {"version", history_commits.version}, {"commits", commits()}});
}

Json SharedPoints::commits() const {
  Json commits = Json::array();
  for (const TrendPoint* point : points_)
    commits.push_back({point->commit, point->date, point->subject, point->record});
  return commits;
}

Json series_json(const Trend& trend, const SharedPoints& points) {
  Json one{{"metric", trend.metric},
           {"unit", trend.unit},
           {"device", trend.machine_class + " " + trend.device_uuid},
           {"margin", number(trend.margin)},
           {"anchor", nullptr},
           {"at", Json::array()},
           {"center", Json::array()},
           {"low", Json::array()},
           {"high", Json::array()},
           {"changes", Json::array()}};
  if (trend.anchor)
    one["anchor"] = {{"name", words(*trend.anchor)}, {"center", rounded(trend.anchor->center)}};
  for (const TrendPoint& point : trend.points) {
    one["at"].push_back(points.place_of(point));
    one["center"].push_back(rounded(point.center));
    one["low"].push_back(point.interval ? rounded(point.interval->lo) : Json(nullptr));
    one["high"].push_back(point.interval ? rounded(point.interval->hi) : Json(nullptr));
  }
  for (const TrendChange& change : trend.changes)
    if (change.matters)
      one["changes"].push_back(
          {{"index", change.index}, {"ratio", rounded(change.ratio)}, {"worse", change.worse}});
  return one;
}

std::string packed_series(const std::vector<const Trend*>& trends, const SharedPoints& points) {
  Json json{{"format", case_history.name}, {"version", case_history.version}, {"series", Json::array()}};
  for (const Trend* trend : trends) json["series"].push_back(series_json(*trend, points));
  return packed_json(json);
}

}  // namespace harness::report
