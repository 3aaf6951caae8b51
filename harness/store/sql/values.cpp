#include "harness/store/sql/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "harness/base/text.h"
#include "harness/model/code/shifted_process.h"
#include "harness/stats/estimate/estimator.h"
#include "harness/store/sql/row_batch.h"

namespace harness {
namespace {

// As Record::estimator names it. When its definition changes, a schema step fills the table anew.
constexpr const char* estimator = "trimmed_log_mean";

double log_value_of(const ProcessSamples& samples) {
  if (samples.figures) return samples.figures->log_value;
  std::vector<std::vector<double>> placements;
  placements.reserve(samples.placements.size());
  for (const Placement& placement : samples.placements) placements.push_back(placement.samples);
  return stats::process_log_value(placements);
}

}  // namespace

std::string column_text(std::string text) {
  std::erase(text, '\0');
  return text;
}

namespace {

struct NewValue {
  std::string run;
  int position = 0;
  int process = 0;
  std::string metric, unit, direction, estimator;
  double value = 0;
  soci::indicator known = soci::i_ok;
};

}  // namespace

void for_each_batch(const ResultsOfCases& results,
                    const std::function<void(const std::string& positions, const std::string& keys)>& take) {
  std::vector<int> positions;
  std::string keys;
  std::size_t count = 0;
  for (const auto& [key, result] : results) {
    positions.push_back(key.first);
    keys += fmt::format("{}({}, {})", keys.empty() ? "" : ", ", key.first, key.second);
    if (++count % rows_a_statement != 0 && count < results.size()) continue;
    take(at_positions(positions), keys);
    positions.clear();
    keys.clear();
  }
}

void remove_values(soci::session& sql, const std::string& run, const ResultsOfCases& results) {
  for_each_batch(results, [&](const std::string& positions, const std::string& keys) {
    sql << "DELETE FROM process_values WHERE run = :run AND " + positions +
               " AND (position, process) IN (VALUES " + keys + ")",
        soci::use(run);
  });
}

void write_values(soci::session& sql, const std::string& run, const ResultsOfCases& results) {
  std::vector<NewValue> rows;
  std::set<std::tuple<int, int, std::string>> seen;
  for (const auto& [key, result] : results) {
    if (result->outcome == Outcome::looked_at) continue;  // what a look tells is no measured process
    if (is_alone(result->process)) continue;              // the others are the case's samples
    if (is_shifted(key.second)) continue;                 // nor does the code lie there
    for (const Series& series : result->series) {
      if (series.processes.empty()) continue;
      const double value = log_value_of(series.processes.front());
      std::string metric = column_text(series.metric);
      if (!seen.emplace(key.first, key.second, metric).second) continue;
      rows.push_back({run, key.first, key.second, std::move(metric), column_text(series.unit),
                      std::string(name_of(series.direction)), estimator, value,
                      std::isfinite(value) ? soci::i_ok : soci::i_null});
    }
  }
  insert_rows<NewValue>(
      sql, "process_values (run, position, process, metric, unit, direction, estimator, log_value)", 8, "",
      rows, [](soci::statement& insert, NewValue& row) {
        insert.exchange(soci::use(row.run));
        insert.exchange(soci::use(row.position));
        insert.exchange(soci::use(row.process));
        for (std::string* text : {&row.metric, &row.unit, &row.direction, &row.estimator})
          insert.exchange(soci::use(*text));
        insert.exchange(soci::use(row.value, row.known));
      });
}

namespace {

// A few runs are read one by one through the index, and a few cases through theirs; many in one pass over the
// table.
constexpr std::size_t few_runs = 8, few_cases = 32;

constexpr const char* select_values =
    "SELECT v.run, v.position, c.id, c.device, v.metric, v.unit, v.direction, v.estimator, v.log_value FROM "
    "process_values v JOIN cases c ON c.run = v.run AND c.position = v.position ";
constexpr const char* in_order = "ORDER BY v.run, v.position, v.process, v.metric";

// A row of that.
struct ValueRow {
  std::string run, case_id, device, metric, unit, direction, estimator;
  int position = 0;
  double value = 0;
  soci::indicator known = soci::i_ok;
};

// Adds rows, which come case by case, to the series they belong to.
class SeriesBuilder {
 public:
  SeriesBuilder(StoredHistory& history, const std::string& pattern) : history_(history), pattern_(pattern) {
    for (std::size_t i = 0; i < history.runs.size(); ++i) places_.emplace(history.runs[i].info.id, i);
  }

  void add(const ValueRow& row) {
    if (row.run != run_ || row.position != position_) {
      if (row.run != run_) place_ = places_.find(row.run);
      run_ = row.run;
      position_ = row.position;
      first_ = history_.series.size();
      wanted_ = pattern_.empty() || wildcard_match(pattern_, row.case_id);
    }
    if (place_ == places_.end() || !wanted_) return;
    StoredSeries& series = series_of(row);
    if (row.known == soci::i_ok)
      series.log_values.push_back(row.value);
    else
      ++series.unusable;
  }

 private:
  StoredSeries& series_of(const ValueRow& row) {
    for (std::size_t i = first_; i < history_.series.size(); ++i)
      if (history_.series[i].metric == row.metric) return history_.series[i];
    const Direction direction = parse_name<Direction>(row.direction).value_or(Direction::lower_is_better);
    history_.series.push_back(
        {row.case_id, row.device, row.metric, row.unit, direction, row.estimator, place_->second});
    return history_.series.back();
  }

  StoredHistory& history_;
  const std::string& pattern_;
  bool wanted_ = true;  // this case
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_map<std::string, std::size_t>::const_iterator place_ = places_.end();
  std::string run_;
  int position_ = -1;
  std::size_t first_ = 0;  // series of this run and case
};

// The ids of the cases that match, from the index alone: each step jumps to the next id.
std::vector<std::string> matching_cases(soci::session& sql, const std::string& pattern) {
  if (pattern.find_first_of("*?") == std::string::npos) return {pattern};
  std::vector<std::string> ids;
  std::string id;
  soci::statement select =
      (sql.prepare
           << "WITH RECURSIVE ids (id) AS (SELECT MIN(id) FROM cases UNION ALL SELECT (SELECT MIN(id) "
              "FROM cases WHERE cases.id > ids.id) FROM ids WHERE ids.id IS NOT NULL) SELECT id FROM "
              "ids WHERE id IS NOT NULL",
       soci::into(id));
  select.execute();
  while (select.fetch())
    if (wildcard_match(pattern, id)) ids.push_back(id);
  return ids;
}

std::string one_of(const std::vector<std::string>& ids) {
  std::string condition = "WHERE c.id IN (";
  for (std::size_t i = 0; i < ids.size(); ++i) condition += fmt::format("{}:c{}", i == 0 ? "" : ", ", i);
  return condition + ") ";
}

// `condition`: SQL; `values`: of its placeholders.
void read_rows(soci::session& sql, const std::string& condition, const std::vector<std::string>& values,
               SeriesBuilder& builder) {
  ValueRow row;
  soci::statement select(sql);
  for (const std::string& value : values) select.exchange(soci::use(value));
  select.exchange(soci::into(row.run));
  select.exchange(soci::into(row.position));
  for (std::string* column :
       {&row.case_id, &row.device, &row.metric, &row.unit, &row.direction, &row.estimator})
    select.exchange(soci::into(*column));
  select.exchange(soci::into(row.value, row.known));
  select.alloc();
  select.prepare(select_values + condition + in_order);
  select.define_and_bind();
  select.execute();
  while (select.fetch()) builder.add(row);
}

}  // namespace

void read_values(soci::session& sql, const std::string& pattern, StoredHistory& history) {
  SeriesBuilder builder(history, pattern);
  const auto ids = pattern.empty() ? std::vector<std::string>{} : matching_cases(sql, pattern);
  if (!pattern.empty() && ids.empty()) return;
  if (history.runs.size() <= few_runs)
    for (const StoredRun& run : history.runs) read_rows(sql, "WHERE v.run = :run ", {run.info.id}, builder);
  else if (!ids.empty() && ids.size() <= few_cases)
    read_rows(sql, one_of(ids), ids, builder);
  else
    read_rows(sql, "", {}, builder);
  std::stable_sort(history.series.begin(), history.series.end(),
                   [](const StoredSeries& a, const StoredSeries& b) { return a.run < b.run; });
}

std::vector<std::vector<CaseValues>> read_values_of(soci::session& sql, std::span<const std::string> runs,
                                                    const std::string& device) {
  std::vector<std::vector<CaseValues>> found;
  std::string run;
  CaseValues row;
  double value = 0;
  soci::statement select =
      (sql.prepare << "SELECT c.id, v.metric, c.digest, v.log_value FROM process_values v JOIN cases c ON "
                      "c.run = v.run AND c.position = v.position WHERE v.run = :run AND c.device = :device "
                      "AND v.log_value IS NOT NULL ORDER BY v.position, v.process, v.metric",
       soci::use(run), soci::use(device), soci::into(row.case_id), soci::into(row.metric),
       soci::into(row.digest), soci::into(value));
  for (const std::string& one : runs) {
    run = one;
    std::vector<CaseValues>& values = found.emplace_back();
    std::size_t first = 0;  // of this case
    select.execute();
    while (select.fetch()) {
      if (first == values.size() || values[first].case_id != row.case_id) first = values.size();
      auto same = std::find_if(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                               [&](const CaseValues& known) { return known.metric == row.metric; });
      if (same == values.end()) {
        values.push_back(row);
        if (row.digest == no_digest) values.back().digest.clear();
        same = values.end() - 1;
      }
      same->log_values.push_back(value);
    }
  }
  return found;
}

}  // namespace harness
