#include "harness/cli/history/history_series.h"

#include <set>
#include <tuple>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/model/results/comparison.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

// Two results with the same key are points of one series.
using Key =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, Direction>;

Key key_of(const StoredSeries& one, const Machine& machine) {
  return {machine.machine_class, machine.device_uuid, one.device, one.case_id, one.metric, one.unit,
          one.direction};
}

// Counts of the records that were left out, by reason.
class PassedOver {
 public:
  void add(HistoryNoteCode why) { ++counts_[why]; }
  [[nodiscard]] std::vector<HistoryNote> notes() const {
    std::vector<HistoryNote> notes;
    for (const auto& [why, count] : counts_) notes.push_back({why, {{"records", count}}});
    return notes;
  }

 private:
  std::map<HistoryNoteCode, int> counts_;
};

// Why a run is no point of a series.
std::optional<HistoryNoteCode> obstacle(const RunInfo& run) {
  if (run.calibration) return HistoryNoteCode::calibration;
  if (run.paired) return HistoryNoteCode::ab_side;
  if (run.state != RunState::complete) return HistoryNoteCode::unfinished;
  if (run.revision.dirty) return HistoryNoteCode::uncommitted;
  if (run.failures > 0 || run.verdict == name_of(Verdict::failed)) return HistoryNoteCode::failed;
  if (run.revision.commit.empty()) return HistoryNoteCode::no_revision;
  return {};
}

struct Growing {
  MeasuredSeries series;
  std::map<std::size_t, std::pair<bool, MeasuredPoint>> points;  // by place in the window; whole suite or not
};

class Builder {
 public:
  Builder(const StoredHistory& stored, const Window& window, const SeriesQuery& query)
      : stored_(stored), window_(window), query_(query) {
    for (std::size_t i = 0; i < window.commits.size(); ++i) places_.emplace(window.commits[i].hash, i);
    choose_runs();
  }

  SeriesOfBranch build(const std::vector<Anchor>& anchors) {
    for (const StoredSeries& one : stored_.series) add(one);
    SeriesOfBranch built;
    for (const Key& key : order_) {
      Growing& growing = growing_.at(key);
      hold(growing.series, anchors);
      for (auto point = growing.points.rbegin(); point != growing.points.rend(); ++point)
        growing.series.points.push_back(std::move(point->second.second));
      if (query_.last > 0 && growing.series.points.size() > query_.last)
        growing.series.points.erase(growing.series.points.begin(),
                                    growing.series.points.end() - static_cast<std::ptrdiff_t>(query_.last));
      built.series.push_back(std::move(growing.series));
    }
    built.measured = measured_.size();
    built.notes = passed_over_.notes();
    return built;
  }

 private:
  void choose_runs() {
    place_of_run_.assign(stored_.runs.size(), outside);
    for (std::size_t i = 0; i < stored_.runs.size(); ++i) {
      const RunInfo& run = stored_.runs[i].info;
      const auto place = places_.find(run.revision.commit);
      const bool in_window =
          place != places_.end() && place->second >= window_.begin && place->second < window_.end;
      std::optional<HistoryNoteCode> why = obstacle(run);
      if (!why && place == places_.end()) why = HistoryNoteCode::other_branch;
      if (!why && !in_window) continue;  // older or newer than asked for
      if (why)
        passed_over_.add(*why);
      else
        place_of_run_[i] = place->second;
    }
  }

  void add(const StoredSeries& one) {
    const std::size_t place = place_of_run_[one.run];
    if (place == outside || one.log_values.empty()) return;
    if (!query_.pattern.empty() && !wildcard_match(query_.pattern, one.case_id)) return;
    if (!query_.metric.empty() && !names_metric(query_.metric, one.metric)) return;
    const StoredRun& run = stored_.runs[one.run];
    const auto machine = run.machines.find(one.device);
    const Machine& measured_on = machine == run.machines.end() ? unknown_ : machine->second;
    const Key key = key_of(one, measured_on);
    const auto [found, is_new] = growing_.try_emplace(key);
    if (is_new) start(found->second.series.trend, key);
    const bool whole = !run.info.partial;
    const auto there = found->second.points.find(place);
    if (there != found->second.points.end() && (there->second.first || !whole)) return;  // newest first
    const Commit& commit = window_.commits[place];
    MeasuredPoint point;
    point.point.commit = commit.hash;
    point.point.date = commit.date;
    point.point.subject = commit.subject;
    point.point.record = run.info.id;
    point.point.distance = static_cast<int>(place);
    point.log_values = one.log_values;
    found->second.points[place] = {whole, std::move(point)};
    measured_.insert(place);
  }

  void start(Trend& trend, const Key& key) {
    order_.push_back(key);
    std::tie(trend.machine_class, trend.device_uuid, trend.device, trend.case_id, trend.metric, trend.unit,
             trend.direction) = key;
  }

  static void hold(MeasuredSeries& series, const std::vector<Anchor>& anchors) {
    const Trend& trend = series.trend;
    for (const Anchor& anchor : anchors) {
      if (anchor.machine_class != trend.machine_class || anchor.device_uuid != trend.device_uuid) continue;
      const auto values = anchor.log_values.find({trend.case_id, trend.metric});
      if (values == anchor.log_values.end()) continue;
      series.anchor = {{anchor.kind, anchor.name, anchor.commit, anchor.distance, 0, 0}, values->second};
      return;
    }
  }

  static constexpr std::size_t outside = static_cast<std::size_t>(-1);

  const StoredHistory& stored_;
  const Window& window_;
  const SeriesQuery& query_;
  const Machine unknown_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::size_t> place_of_run_;
  std::map<Key, Growing> growing_;
  std::vector<Key> order_;  // as first met: the newest run first
  std::set<std::size_t> measured_;
  PassedOver passed_over_;
};

}  // namespace

SeriesOfBranch series_of_branch(const StoredHistory& stored, const Window& window, const SeriesQuery& query,
                                const std::vector<Anchor>& anchors) {
  return Builder(stored, window, query).build(anchors);
}

}  // namespace harness
