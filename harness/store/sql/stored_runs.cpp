#include "harness/store/sql/stored_runs.h"

#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/baselines.h"
#include "harness/store/sql/values.h"

namespace harness {
namespace {

constexpr int calibration_run = 1, paired_run = 2;  // in the column `calibration`: nobody's baseline

// The condition for the wanted runs; `values` gets the values of the placeholders.
std::vector<std::string> conditions_of(const RunQuery& query, std::vector<std::string>& values) {
  std::vector<std::string> conditions;
  const auto where = [&](const std::string& column, const std::optional<std::string>& wanted) {
    if (!wanted) return;
    conditions.push_back(fmt::format("{} = :v{}", column, values.size()));
    values.push_back(*wanted);
  };
  if (query.id_prefix) where(fmt::format("SUBSTR(id, 1, {})", query.id_prefix->size()), query.id_prefix);
  where("suite", query.suite);
  where("suite_hash", query.suite_hash);
  where("revision", query.commit);
  where("machine_class", query.machine_class);
  where("device_uuid", query.device_uuid);
  if (query.state) where("state", std::string(name_of(*query.state)));
  if (query.dirty) conditions.emplace_back(*query.dirty ? "dirty = 1" : "dirty = 0");
  if (query.calibration) conditions.emplace_back(*query.calibration ? "calibration = 1" : "calibration = 0");
  return conditions;
}

}  // namespace

Result<RunRow> row_of(const Record& given, RunState state) {
  if (given.id.empty()) return fail(ErrorKind::internal, "a record without an id cannot be stored");
  RunRow row;
  row.header = encode_header(given);
  Result<Record> readable = decode_header(row.header, "record " + given.id);
  if (!readable) return fail(readable.error());
  const Machine* machine = primary_machine(given);
  row.id = column_text(readable->id);
  row.suite = column_text(readable->suite.name);
  row.suite_hash = column_text(readable->suite.hash);
  row.revision = column_text(readable->revision.commit);
  row.branch = column_text(readable->revision.branch);
  row.dirty = readable->revision.dirty ? 1 : 0;
  row.changes = column_text(readable->revision.changes);
  row.partial = readable->partial ? 1 : 0;
  row.calibration = readable->calibration ? calibration_run : readable->pairing ? paired_run : 0;
  row.machine_class = machine == nullptr ? "" : column_text(machine->machine_class);
  row.device_uuid = machine == nullptr ? "" : column_text(machine->device_uuid);
  row.started = column_text(readable->started);
  row.finished = column_text(readable->finished);
  row.state = name_of(state);
  if (readable->pairing) row.side = column_text(readable->pairing->side);
  return row;
}

namespace {

std::string where_of(const std::vector<std::string>& conditions) {
  return conditions.empty() ? "" : " WHERE " + join(conditions, " AND ");
}

// SQL of two counts.
const char* sql_of(RunCounts counts) {
  switch (counts) {
    case RunCounts::none: return "CAST(0 AS BIGINT), CAST(0 AS BIGINT)";
    case RunCounts::failures:
      return "CAST(0 AS BIGINT), (SELECT COUNT(*) FROM results WHERE results.run = runs.id AND "
             "results.outcome IN ('incorrect', 'failed', 'timed_out'))";
    case RunCounts::all: break;
  }
  return "(SELECT COUNT(*) FROM results WHERE results.run = runs.id), (SELECT COUNT(*) FROM results WHERE "
         "results.run = runs.id AND results.outcome IN ('incorrect', 'failed', 'timed_out'))";
}

}  // namespace

std::unordered_map<std::string, std::string> read_headers(soci::session& sql, const RunQuery& query) {
  std::vector<std::string> values;
  const std::vector<std::string> conditions = conditions_of(query, values);
  std::string id, header;
  soci::statement select(sql);
  for (const std::string& value : values) select.exchange(soci::use(value));
  select.exchange(soci::into(id));
  select.exchange(soci::into(header));
  select.alloc();
  select.prepare("SELECT id, header FROM runs" + where_of(conditions));
  select.define_and_bind();
  select.execute();
  std::unordered_map<std::string, std::string> headers;
  while (select.fetch()) headers.emplace(id, header);
  return headers;
}

std::vector<RunInfo> read_runs(soci::session& sql, const RunQuery& query, RunCounts counts) {
  std::vector<RunInfo> runs;
  std::vector<std::string> values;  // statements keep references to them
  const std::vector<std::string> conditions = conditions_of(query, values);

  RunRow row;
  long long results = 0;
  long long failures = 0;
  soci::statement select(sql);
  for (const std::string& value : values) select.exchange(soci::use(value));
  for (std::string* column :
       {&row.id, &row.suite, &row.suite_hash, &row.revision, &row.branch, &row.changes, &row.machine_class,
        &row.device_uuid, &row.started, &row.finished, &row.state, &row.verdict})
    select.exchange(soci::into(*column));
  select.exchange(soci::into(row.dirty));
  select.exchange(soci::into(row.partial));
  select.exchange(soci::into(row.calibration));
  select.exchange(soci::into(results));
  select.exchange(soci::into(failures));
  select.alloc();
  select.prepare(fmt::format(
      "SELECT id, suite, suite_hash, revision, branch, changes, machine_class, device_uuid, started, "
      "finished, state, verdict, dirty, partial, calibration, {} FROM runs{} ORDER BY sequence DESC, started "
      "DESC, id",
      sql_of(counts), where_of(conditions)));
  select.define_and_bind();
  select.execute();
  while (select.fetch())
    runs.push_back({row.id,
                    row.suite,
                    row.suite_hash,
                    {row.revision, row.branch, row.dirty != 0, row.changes},
                    row.machine_class,
                    row.device_uuid,
                    row.started,
                    row.finished,
                    parse_name<RunState>(row.state).value_or(RunState::interrupted),
                    static_cast<std::size_t>(results),
                    static_cast<std::size_t>(failures),
                    row.partial != 0,
                    row.verdict,
                    row.calibration == calibration_run,
                    row.calibration == paired_run});
  return runs;
}

}  // namespace harness
