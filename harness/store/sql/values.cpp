#include "harness/store/sql/values.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "harness/model/codec.h"
#include "harness/stats/estimate/estimator.h"

namespace harness {
namespace {

// As Record::estimator names it. When its definition changes, a schema step fills the table anew.
constexpr const char* estimator = "trimmed_log_mean";

double log_value_of(const ProcessSamples& samples) {
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

ValueWriter::ValueWriter(soci::session& sql)
    : estimator_(estimator),
      remove_((sql.prepare << "DELETE FROM process_values WHERE run = :run AND process = :process AND "
                              "position IN (SELECT position FROM cases WHERE run = :same_run AND id = :case)",
               soci::use(id_), soci::use(process_), soci::use(id_), soci::use(case_id_))),
      insert_((sql.prepare
                   << "INSERT INTO process_values (run, position, process, metric, unit, direction, "
                      "estimator, log_value) SELECT run, position, CAST(:process AS INTEGER), :metric, "
                      ":unit, :direction, :estimator, CAST(:value AS DOUBLE PRECISION) FROM cases WHERE "
                      "run = :run AND id = :case ON CONFLICT (run, position, process, metric) DO UPDATE SET "
                      "log_value = excluded.log_value",
               soci::use(process_), soci::use(metric_), soci::use(unit_), soci::use(direction_),
               soci::use(estimator_), soci::use(value_, known_), soci::use(id_), soci::use(case_id_))) {}

void ValueWriter::put(const std::string& id, const ProcessResult& result) {
  id_ = id;
  case_id_ = column_text(result.case_id);
  process_ = result.process;
  remove_.execute(true);
  for (const Series& series : result.series) {
    if (series.processes.empty()) continue;
    value_ = log_value_of(series.processes.front());
    known_ = std::isfinite(value_) ? soci::i_ok : soci::i_null;
    metric_ = column_text(series.metric);
    unit_ = column_text(series.unit);
    direction_ = name_of(series.direction);
    insert_.execute(true);
  }
}

void add_values(soci::session& sql) {
  sql << "CREATE TABLE process_values (run TEXT NOT NULL, position INTEGER NOT NULL, process INTEGER NOT "
         "NULL, "
         "metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, estimator TEXT NOT NULL, "
         "log_value DOUBLE PRECISION, PRIMARY KEY (run, position, process, metric), "
         "FOREIGN KEY (run, position, process) REFERENCES results (run, position, process) ON DELETE "
         "CASCADE)";
  std::vector<std::string> runs;
  std::string text;
  {
    soci::statement select = (sql.prepare << "SELECT id FROM runs ORDER BY id", soci::into(text));
    select.execute();
    while (select.fetch()) runs.push_back(text);
  }
  ValueWriter writer(sql);
  for (const std::string& run : runs) {  // one at a time: their samples may be large
    std::vector<ProcessResult> results;
    soci::statement select =
        (sql.prepare << "SELECT result FROM results WHERE run = :run ORDER BY position, process",
         soci::use(run), soci::into(text));
    select.execute();
    while (select.fetch())
      if (auto result = decode_process_result(text, "record " + run)) results.push_back(std::move(*result));
    for (const ProcessResult& result : results) writer.put(run, result);
  }
}

namespace {

// A few runs are read one by one through the index; many in one pass over the table.
constexpr std::size_t few_runs = 8;

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
  explicit SeriesBuilder(StoredHistory& history) : history_(history) {
    for (std::size_t i = 0; i < history.runs.size(); ++i) places_.emplace(history.runs[i].info.id, i);
  }

  void add(const ValueRow& row) {
    if (row.run != run_ || row.position != position_) {
      if (row.run != run_) place_ = places_.find(row.run);
      run_ = row.run;
      position_ = row.position;
      first_ = history_.series.size();
    }
    if (place_ == places_.end()) return;
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
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_map<std::string, std::size_t>::const_iterator place_ = places_.end();
  std::string run_;
  int position_ = -1;
  std::size_t first_ = 0;  // series of this run and case
};

void read_rows(soci::session& sql, const std::string* run, SeriesBuilder& builder) {
  ValueRow row;
  soci::statement select(sql);
  if (run != nullptr) select.exchange(soci::use(*run));
  select.exchange(soci::into(row.run));
  select.exchange(soci::into(row.position));
  for (std::string* column :
       {&row.case_id, &row.device, &row.metric, &row.unit, &row.direction, &row.estimator})
    select.exchange(soci::into(*column));
  select.exchange(soci::into(row.value, row.known));
  select.alloc();
  select.prepare(std::string(select_values) + (run == nullptr ? "" : "WHERE v.run = :run ") + in_order);
  select.define_and_bind();
  select.execute();
  while (select.fetch()) builder.add(row);
}

}  // namespace

void read_values(soci::session& sql, StoredHistory& history) {
  SeriesBuilder builder(history);
  if (history.runs.size() > few_runs) read_rows(sql, nullptr, builder);
  for (std::size_t i = 0; history.runs.size() <= few_runs && i < history.runs.size(); ++i)
    read_rows(sql, &history.runs[i].info.id, builder);
  std::stable_sort(history.series.begin(), history.series.end(),
                   [](const StoredSeries& a, const StoredSeries& b) { return a.run < b.run; });
}

}  // namespace harness
