#include "harness/report/over_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "harness/report/numbers.h"

namespace harness::report {
namespace {

using Values = std::vector<double>;

double geometric_mean_of(const Values& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

double arithmetic_mean_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(Values values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// The cases of one row.
struct Group {
  const CaseRecord* first = nullptr;
  const CaseRecord* reference = nullptr;
  std::vector<const Summary*> cases;
};

// One figure of the ratios, and of the bounds where all have some.
Ratio ratio_of(const Group& group, const std::function<double(const Values&)>& figure) {
  Values ratios;
  Values lower;
  Values upper;
  for (const Summary* summary : group.cases) {
    ratios.push_back(summary->speedup->ratio);
    if (!summary->speedup->interval) continue;
    lower.push_back(summary->speedup->interval->lo);
    upper.push_back(summary->speedup->interval->hi);
  }
  Ratio ratio{figure(ratios), std::nullopt};
  const bool bounded = lower.size() == ratios.size() &&
                       std::all_of(lower.begin(), lower.end(), [](double bound) { return bound > 0; });
  if (bounded) ratio.interval = Interval{figure(lower), figure(upper)};
  return ratio;
}

SpeedupOverShapes row_of(const Group& group) {
  const auto slower = [](const Summary* a, const Summary* b) {
    return a->speedup->ratio < b->speedup->ratio;
  };
  const auto [least, most] = std::minmax_element(group.cases.begin(), group.cases.end(), slower);
  SpeedupOverShapes row;
  row.workload = group.first->workload;
  row.variant = group.first->variant;
  row.reference = group.reference->variant;
  row.metric = group.cases.front()->metric;
  row.tags = group.first->tags;
  row.shapes = group.cases.size();
  row.confidence = group.cases.front()->confidence;
  row.geometric_mean = ratio_of(group, geometric_mean_of);
  row.arithmetic_mean = ratio_of(group, arithmetic_mean_of);
  row.median = ratio_of(group, median_of);
  row.least = {(*least)->speedup->ratio, (*least)->speedup->interval, (*least)->case_id};
  row.most = {(*most)->speedup->ratio, (*most)->speedup->interval, (*most)->case_id};
  return row;
}

bool has_speedup(const Summary& summary) {
  return summary.outcome == Outcome::measured && summary.speedup && std::isfinite(summary.speedup->ratio) &&
         summary.speedup->ratio > 0;
}

std::string heading_of(const SpeedupOverShapes& row) {
  std::string text = fmt::format("{} over {}", row.workload, row.reference);
  if (!row.tags.empty()) text += ", tagged " + join(row.tags, ", ");
  return text;
}

}  // namespace

std::vector<SpeedupOverShapes> speedups_over_shapes(const Record& record,
                                                    const std::vector<Summary>& summaries) {
  std::map<std::string_view, const CaseRecord*> cases;
  for (const CaseRecord& one : record.cases) cases.emplace(one.id, &one);
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> known;
  std::vector<Group> groups;
  for (const Summary& summary : summaries) {
    if (!has_speedup(summary)) continue;
    const auto own = cases.find(summary.case_id);
    const auto reference = cases.find(summary.speedup->reference);
    if (own == cases.end() || reference == cases.end()) continue;
    const CaseRecord& one = *own->second;
    const Key key{one.workload,   one.device,          one.variant, reference->second->variant,
                  summary.metric, join(one.tags, "\n")};
    const auto [at, is_new] = known.try_emplace(key, groups.size());
    if (is_new) groups.push_back({&one, reference->second, {}});
    groups[at->second].cases.push_back(&summary);
  }
  std::vector<SpeedupOverShapes> rows;
  for (const Group& group : groups)
    if (group.cases.size() > 1) rows.push_back(row_of(group));
  return rows;
}

Grid over_shapes_grid(const std::vector<SpeedupOverShapes>& speedups) {
  struct Figure {
    const char* name;
    Ratio SpeedupOverShapes::*ratio;
    int block;
    int priority;
  };
  static constexpr Figure figures[] = {{"geometric mean", &SpeedupOverShapes::geometric_mean, 0, 1},
                                       {"arithmetic mean", &SpeedupOverShapes::arithmetic_mean, 0, 4},
                                       {"median", &SpeedupOverShapes::median, 1, 3},
                                       {"min", &SpeedupOverShapes::least, 1, 1},
                                       {"max", &SpeedupOverShapes::most, 1, 2}};
  Grid grid;
  if (speedups.empty()) return grid;
  grid.label_header = "variant";
  grid.columns.push_back({"shapes", Align::right, 0, 0});
  for (const Figure& figure : figures) {
    grid.columns.push_back({figure.name, Align::decimal, figure.block, figure.priority});
    grid.columns.push_back({plain_percent(speedups.front().confidence) + " interval", Align::left,
                            figure.block, figure.priority, true});
  }
  std::map<std::string, std::size_t> known;
  for (const SpeedupOverShapes& row : speedups) {
    const std::string heading = heading_of(row);
    const auto [at, is_new] = known.try_emplace(heading, grid.sections.size());
    if (is_new) grid.sections.push_back({heading, Paint::faint, {}});
    GridRow cells{row.variant, {{std::to_string(row.shapes)}}};
    for (const Figure& figure : figures) {
      const Ratio& ratio = row.*figure.ratio;
      cells.cells.push_back({format_significant(ratio.value, 3) + "x"});
      cells.cells.push_back({ratio.interval ? bounds(*ratio.interval) : std::string(unknown)});
    }
    grid.sections[at->second].rows.push_back(std::move(cells));
  }
  return grid;
}

}  // namespace harness::report
