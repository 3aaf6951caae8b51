#include "harness/report/media/page/history_page.h"

#include <algorithm>
#include <vector>

#include "harness/report/media/page/packed.h"
#include "harness/report/media/site/site_data.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

constexpr DocumentFormat history_chart{"harness-history-chart"};

bool changed(const Trend& trend) {
  return std::any_of(trend.changes.begin(), trend.changes.end(),
                     [](const TrendChange& change) { return change.matters; });
}

Json with_verdicts(const Trend& trend, const SharedPoints& points, const CaseVerdicts& verdicts) {
  Json one = series_json(trend, points);
  one["case"] = trend.case_id;
  one["worse"] = got_worse(trend);
  one["informative"] = trend.informative;
  one["verdicts"] = Json::array();
  for (const TrendPoint& point : trend.points) {
    // It is of the case: an informative metric had no part in it.
    const auto known = trend.informative ? verdicts.end() : verdicts.find({point.record, trend.case_id});
    one["verdicts"].push_back(known == verdicts.end() ? std::string() : known->second);
  }
  return one;
}

}  // namespace

std::string history_page(const HistoryReport& history, const CaseVerdicts& verdicts,
                         const std::string& headline, std::size_t room) {
  std::vector<const Trend*> trends;
  for (const Trend& trend : history.trends)
    if (!trend.points.empty()) trends.push_back(&trend);
  std::stable_sort(trends.begin(), trends.end(), [](const Trend* one, const Trend* other) {
    const auto rank = [](const Trend& trend) { return got_worse(trend) ? 0 : changed(trend) ? 1 : 2; };
    return rank(*one) < rank(*other);
  });
  const SharedPoints points(history.trends);
  for (std::size_t shown = trends.size();; shown /= 2) {
    Json json{{"format", history_chart.name}, {"version", history_chart.version},
              {"headline", headline},         {"suite", history.suite},
              {"branch", history.branch},     {"left_out", trends.size() - shown},
              {"commits", points.commits()},  {"series", Json::array()}};
    for (std::size_t i = 0; i < shown; ++i)
      json["series"].push_back(with_verdicts(*trends[i], points, verdicts));
    std::string packed = base64(deflated(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
    if (packed.size() <= room || shown == 0) return packed;
  }
}

}  // namespace harness::report
