#include "harness/report/media/page/history_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "harness/report/media/html_text.h"
#include "harness/report/media/page/packed.h"
#include "harness/report/media/page/page_json.h"
#include "harness/report/sparkline.h"
#include "harness/report/words/study_words.h"
#include "harness/schema/formats.h"

namespace harness::report {
namespace {

constexpr std::size_t trend_letters = 24;
constexpr std::size_t block_points = 20'000;  // which are unpacked at once, in a few milliseconds
constexpr std::size_t block_series = 64;

std::string packed_history(const Json& json) {
  return base64(deflated(json.dump(-1, ' ', false, Json::error_handler_t::replace))) + '.';
}

// Six figures are more than a picture shows, and a third of the room.
Json in_six_figures(double value) {
  return number(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr));
}

class HistoryPage {
 public:
  HistoryPage(const HistoryReport& history, const HistoryExtras& extras, const HistoryWords& words)
      : history_(history), extras_(extras), words_(words) {
    for (const Trend& trend : history.trends)
      if (!trend.points.empty()) trends_.push_back(&trend);
    std::stable_sort(trends_.begin(), trends_.end(),
                     [](const Trend* one, const Trend* other) { return rank(*one) < rank(*other); });
    for (std::size_t i = 0; i < trends_.size(); ++i) rows_[trends_[i]] = i;
    take_commits();
  }

  [[nodiscard]] std::string text(std::size_t room) const {
    std::size_t longest = 1;
    for (const Trend* trend : trends_) longest = std::max(longest, trend->points.size());
    const std::size_t block = std::clamp<std::size_t>(block_points / longest, 1, block_series);
    std::string text = packed_history(head(block));
    for (std::size_t from = 0; from < trends_.size(); from += block) {
      Json some = Json::array();
      for (std::size_t i = from; i < std::min(from + block, trends_.size()); ++i)
        some.push_back(points_json(*trends_[i]));
      const std::string more = packed_history(some);
      if (text.size() + more.size() > room) break;
      text += more;
    }
    return text;
  }

 private:
  static int rank(const Trend& trend) {
    if (got_worse(trend)) return 0;
    return std::any_of(trend.changes.begin(), trend.changes.end(),
                       [](const TrendChange& change) { return change.matters; })
               ? 1
               : 2;
  }

  // Each commit with its record, the oldest first.
  void take_commits() {
    for (const Trend* trend : trends_)
      for (const TrendPoint& point : trend->points)
        if (places_.emplace(std::pair(point.commit, point.record), 0).second) commits_.push_back(&point);
    std::stable_sort(commits_.begin(), commits_.end(),
                     [](const TrendPoint* a, const TrendPoint* b) { return a->distance > b->distance; });
    for (std::size_t i = 0; i < commits_.size(); ++i) places_[{commits_[i]->commit, commits_[i]->record}] = i;
  }

  [[nodiscard]] std::size_t place_of(const TrendPoint& point) const {
    return places_.at({point.commit, point.record});
  }

  // It is of the case: an informative metric had no part in it.
  [[nodiscard]] std::string verdict_at(const Trend& trend, const TrendPoint& point) const {
    const auto known = extras_.verdicts.find({point.record, trend.case_id});
    return trend.informative || known == extras_.verdicts.end() ? std::string() : known->second;
  }

  [[nodiscard]] Json head(std::size_t block) const {
    Json json{{"format", formats::history_page.name},
              {"version", formats::history_page.version},
              {"headline", words_.headline},
              {"tone", class_of(words_.tone)},
              {"suite", history_.suite},
              {"facts", words_.facts},
              {"links", {{"commit", extras_.links.commit}, {"record", extras_.links.record}}},
              {"commits", Json::array()},
              {"rows", Json::array()},
              {"causes", Json::array()},
              {"notes", words_.notes},
              {"alerts", nullptr},
              {"block", block}};
    for (const TrendPoint* point : commits_)
      json["commits"].push_back({point->commit, point->date, point->subject, point->record});
    for (const Trend* trend : trends_) json["rows"].push_back(row_json(*trend));
    for (const ChangeCluster& cause : extras_.causes) json["causes"].push_back(cause_json(cause));
    if (!words_.alerts.empty())
      json["alerts"] = {{"since", history_.alerts->since}, {"lines", words_.alerts}};
    return json;
  }

  [[nodiscard]] Json row_json(const Trend& trend) const {
    std::vector<double> centers;
    for (const TrendPoint& point : trend.points) centers.push_back(point.center);
    const Cell brief = words_.brief(trend);
    Json one{{"case", trend.case_id},
             {"metric", trend.metric},
             {"unit", trend.unit},
             {"device", trend.machine_class + " " + trend.device_uuid},
             {"finding", brief.text},
             {"tone", class_of(brief.paint)},
             {"newest", in_six_figures(centers.back())},
             {"ratio", nullptr},
             {"interval", nullptr},
             {"measured", centers.size()},
             {"trend", sparkline(centers, trend_letters, 2 * std::log1p(trend.margin), true)}};
    if (trend.newest) {
      one["ratio"] = in_six_figures(trend.newest->ratio);
      one["interval"] = {in_six_figures(trend.newest->interval.lo),
                         in_six_figures(trend.newest->interval.hi)};
    }
    return one;
  }

  [[nodiscard]] Json cause_json(const ChangeCluster& cause) const {
    Json members = Json::array();
    int unmeasured = 0;
    for (const ChangeMember& member : cause.members) {
      const Trend& trend = history_.trends[member.trend];
      const TrendChange& change = trend.changes[member.change];
      const TrendPoint& point = trend.points[change.index];
      unmeasured = change.unmeasured;
      members.push_back(
          {rows_.at(&trend), place_of(point), in_six_figures(change.ratio), verdict_at(trend, point)});
    }
    return {
        {"worse", cause.worse}, {"before", cause.before}, {"unmeasured", unmeasured}, {"members", members}};
  }

  [[nodiscard]] Json points_json(const Trend& trend) const {
    Json one{{"margin", number(trend.margin)}, {"anchor", nullptr},        {"at", Json::array()},
             {"center", Json::array()},        {"low", Json::array()},     {"high", Json::array()},
             {"verdicts", Json::array()},      {"changes", Json::array()}, {"told", words_.told(trend)}};
    if (trend.anchor)
      one["anchor"] = {{"name", words(*trend.anchor)}, {"center", in_six_figures(trend.anchor->center)}};
    for (const TrendPoint& point : trend.points) {
      one["at"].push_back(place_of(point));
      one["center"].push_back(in_six_figures(point.center));
      one["low"].push_back(point.interval ? in_six_figures(point.interval->lo) : Json(nullptr));
      one["high"].push_back(point.interval ? in_six_figures(point.interval->hi) : Json(nullptr));
      one["verdicts"].push_back(verdict_at(trend, point));
    }
    for (const TrendChange& change : trend.changes)
      if (change.matters)
        one["changes"].push_back(
            {{"index", change.index}, {"ratio", in_six_figures(change.ratio)}, {"worse", change.worse}});
    return one;
  }

  const HistoryReport& history_;
  const HistoryExtras& extras_;
  const HistoryWords& words_;
  std::vector<const Trend*> trends_;  // in the order of the rows
  std::map<const Trend*, std::size_t> rows_;
  std::vector<const TrendPoint*> commits_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;  // of a commit and its record
};

}  // namespace

std::string history_page(const HistoryReport& history, const HistoryExtras& extras, const HistoryWords& words,
                         std::size_t room) {
  return HistoryPage(history, extras, words).text(room);
}

}  // namespace harness::report
