// The one implementation of Store: SQL that SQLite and PostgreSQL both understand.
#include <fmt/format.h>

#include <set>

#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/model/results/comparison.h"
#include "harness/store/baseline/completeness.h"
#include "harness/store/baselines.h"
#include "harness/store/history.h"
#include "harness/store/sql/database.h"
#include "harness/store/sql/result_writer.h"
#include "harness/store/sql/row_batch.h"
#include "harness/store/sql/schema.h"
#include "harness/store/sql/stored_cases.h"
#include "harness/store/sql/stored_record.h"
#include "harness/store/sql/stored_runs.h"
#include "harness/store/sql/values.h"
#include "harness/store/store.h"

namespace harness {
namespace {

Status check_case_id(const CaseRecord& one) {
  const auto readable = decode_case(encode_case(one), "case `" + printable(one.id) + "`");
  if (!readable) return fail(readable.error());
  if (readable->id == one.id && one.id.find('\0') == std::string::npos) return {};
  return fail(ErrorKind::usage, fmt::format("case `{}` has a name that is not text", printable(one.id)),
              "use UTF-8 without zero bytes");
}

// The results of a case with their samples, as workers sent them.
std::vector<ProcessResult> results_of(const CaseRecord& one) {
  std::vector<ProcessResult> results = one.processes;
  const auto result_of = [&](int process) -> ProcessResult& {
    for (ProcessResult& result : results)
      if (result.process == process) return result;
    results.push_back({one.id, process, Outcome::measured, {}, {}, {}, {}});
    return results.back();
  };
  for (const std::vector<Series>* all : {&one.series, &one.alone})
    for (const Series& series : *all)
      for (const ProcessSamples& samples : series.processes)
        result_of(samples.process)
            .series.push_back({series.metric, series.unit, series.direction, {samples}});
  return results;
}

class SqlStore final : public Store {
 public:
  SqlStore(std::unique_ptr<Database> database, std::string place)
      : database_(std::move(database)), sql_(database_->sql()), place_(std::move(place)) {}

  [[nodiscard]] std::string place() const override { return place_; }

  Status begin(const Record& header) override {
    return database_->write([&] { return insert_run(header, RunState::running); });
  }

  Status add_case(const std::string& id, const CaseRecord& planned) override {
    return database_->write([&] { return insert_cases(id, {&planned, 1}); });
  }

  Status update_header(const Record& header) override {
    const Result<RunRow> row = row_of(header, RunState::running);
    if (!row) return fail(row.error());
    return database_->write([&]() -> Status {
      soci::statement update =
          (sql_.prepare << "UPDATE runs SET suite = :suite, suite_hash = :hash, revision = :revision, "
                           "branch = :branch, dirty = :dirty, changes = :changes, partial = :partial, "
                           "calibration = :calibration, machine_class = :class, device_uuid = :uuid, "
                           "started = :started, finished = :finished, header = :header WHERE id = :id",
           soci::use(row->suite), soci::use(row->suite_hash), soci::use(row->revision),
           soci::use(row->branch), soci::use(row->dirty), soci::use(row->changes), soci::use(row->partial),
           soci::use(row->calibration), soci::use(row->machine_class), soci::use(row->device_uuid),
           soci::use(row->started), soci::use(row->finished), soci::use(row->header), soci::use(row->id));
      update.execute(true);
      return update.get_affected_rows() > 0 ? Status{} : no_such_run(row->id);
    });
  }

  Status put(const std::string& id, const EncodedResult& result) override {
    return database_->write([&] { return ResultWriter(*database_).put(id, result); });
  }

  Status finish(const std::string& id, RunState state) override {
    const Status finished = database_->write([&] { return close_run(id, state); });
    if (finished) database_->flush();
    return finished;
  }

  Status put_records(std::span<const Record> records) override {
    const Status put = database_->write([&]() -> Status {
      ResultWriter writer(*database_);
      for (const Record& record : records)
        if (const Status stored = insert_record(record, writer); !stored) return stored;
      return {};
    });
    if (put) database_->flush();
    return put;
  }

  Status set_verdicts(const std::string& id, const std::string& verdict, std::span<const CaseVerdict> cases,
                      JudgedBy by) override {
    return keep_verdict(id, verdict, [&] { write_case_verdicts(sql_, id, cases, by); });
  }

  Result<bool> may_judge() override {
    bool may = false;
    const Status asked = database_->read([&]() -> Status {
      may = database_->may({"runs", "UPDATE", "verdict"}) && database_->may({"cases", "UPDATE", "verdict"});
      return {};
    });
    if (!asked) return fail(asked.error());
    return may;
  }

  Status set_verdict(const std::string& id, const std::string& verdict) override {
    return keep_verdict(id, verdict, [&] { spread_verdict(sql_, id, verdict); });
  }

  Result<Record> load(const std::string& id) override {
    Record record;
    const Status loaded =
        database_->read([&] { return read_stored_record(*database_, record, id, nullptr); });
    if (!loaded) return fail(loaded.error());
    return record;
  }

  Result<Record> load_cases(const std::string& id, const std::set<std::string>& cases) override {
    Record record;
    const Status loaded = database_->read([&] { return read_stored_record(*database_, record, id, &cases); });
    if (!loaded) return fail(loaded.error());
    return record;
  }

  Result<std::vector<StoredCase>> cases_of(const std::string& run) override {
    return read_rows<StoredCase>([&] { return read_cases_of(sql_, run); });
  }

  Result<std::vector<StoredCase>> runs_of_case(const std::string& case_id) override {
    return read_rows<StoredCase>([&] { return read_runs_of_case(sql_, case_id); });
  }

  Result<std::vector<StoredCase>> cases_alike(std::span<const CaseDigest> wanted, int limit) override {
    return read_rows<StoredCase>([&] { return read_cases_alike(sql_, wanted, limit); });
  }

  Result<std::vector<RunInfo>> list(const RunQuery& query) override {
    return read_rows<RunInfo>(
        [&] { return read_runs(sql_, query, query.count_results ? RunCounts::all : RunCounts::none); });
  }

  Result<StoredHistory> history(const RunQuery& query) override {
    StoredHistory history;
    const Status read = database_->read([&] { return history_into(history, query); });
    if (!read) return fail(read.error());
    return history;
  }

  Result<std::vector<std::vector<CaseValues>>> values_of(std::span<const std::string> runs,
                                                         const std::string& device) override {
    return read_rows<std::vector<CaseValues>>([&] { return read_values_of(sql_, runs, device); });
  }

  Status set_name(const std::string& id, const std::string& name) override {
    return database_->write([&]() -> Status {
      std::string suite, machine_class;
      sql_ << "SELECT suite, machine_class FROM runs WHERE id = :id", soci::use(id), soci::into(suite),
          soci::into(machine_class);
      if (!sql_.got_data()) return no_such_run(id);
      sql_ << "DELETE FROM record_names WHERE name = :name AND suite = :suite AND machine_class = :class",
          soci::use(name), soci::use(suite), soci::use(machine_class);
      sql_ << "INSERT INTO record_names (name, suite, machine_class, run) VALUES (:name, :suite, :class, "
              ":run)",
          soci::use(name), soci::use(suite), soci::use(machine_class), soci::use(id);
      return {};
    });
  }

  Result<std::vector<RecordName>> names() override {
    std::vector<RecordName> found;
    const Status read = database_->read([&]() -> Status {
      found.clear();
      RecordName row;
      soci::statement select =
          (sql_.prepare << "SELECT name, suite, machine_class, run FROM record_names "
                           "ORDER BY name, suite, machine_class",
           soci::into(row.name), soci::into(row.suite), soci::into(row.machine_class), soci::into(row.run));
      select.execute();
      while (select.fetch()) found.push_back(row);
      return {};
    });
    if (!read) return fail(read.error());
    return found;
  }

  Status remove(std::span<const std::string> ids) override {
    const Status removed = database_->write([&]() -> Status {
      const std::set<std::string> campaigns = campaigns_of(ids);
      for (const std::string& id : ids) {
        for (const char* table : {"record_names", "process_values", "results", "cases"})
          sql_ << fmt::format("DELETE FROM {} WHERE run = :id", table), soci::use(id);
        soci::statement run = (sql_.prepare << "DELETE FROM runs WHERE id = :id", soci::use(id));
        run.execute(true);
        if (run.get_affected_rows() == 0) return no_such_run(id);
      }
      for (const std::string& campaign : campaigns)
        sql_ << "DELETE FROM campaigns WHERE id = :id AND NOT EXISTS (SELECT 1 FROM campaign_records WHERE "
                "campaign = campaigns.id)",
            soci::use(campaign);
      return {};
    });
    if (removed) database_->shrink();
    return removed;
  }

  Result<CaseRecord> planned_case(const std::string& id, const std::string& case_id) override {
    CaseRecord planned;
    const Status read = database_->read([&]() -> Status {
      std::string text;
      sql_ << "SELECT planned FROM cases WHERE run = :run AND id = :case", soci::use(id), soci::use(case_id),
          soci::into(text);
      if (!sql_.got_data())
        return fail(ErrorKind::missing, fmt::format("record {} in {} has no case `{}`", printable(id),
                                                    database_->name(), printable(case_id)));
      Result<CaseRecord> one = decode_case(text, fmt::format("{}: record {}", database_->name(), id));
      if (!one) return fail(one.error());
      planned = std::move(*one);
      return {};
    });
    if (!read) return fail(read.error());
    return planned;
  }

 private:
  Status no_such_run(const std::string& id) { return no_such_record(*database_, id); }

  template <class OfCases>
  Status keep_verdict(const std::string& id, const std::string& verdict, OfCases keep_of_cases) {
    if (!parse_name<Verdict>(verdict))
      return fail(ErrorKind::internal, fmt::format("`{}` is no verdict", printable(verdict)));
    return database_->write([&]() -> Status {
      soci::statement update = (sql_.prepare << "UPDATE runs SET verdict = :verdict WHERE id = :id",
                                soci::use(verdict), soci::use(id));
      update.execute(true);
      if (update.get_affected_rows() == 0) return no_such_run(id);
      keep_of_cases();
      return {};
    });
  }

  template <class Row, class Read>
  Result<std::vector<Row>> read_rows(Read read) {
    std::vector<Row> rows;
    const Status done = database_->read([&]() -> Status {
      rows = read();
      return {};
    });
    if (!done) return fail(done.error());
    return rows;
  }

  Status insert_run(const Record& record, RunState state);
  Status insert_cases(const std::string& id, std::span<const CaseRecord> cases);
  Status insert_record(const Record& record, ResultWriter& writer);
  Status close_run(const std::string& id, RunState state);
  // The campaigns that have one of these records.
  std::set<std::string> campaigns_of(std::span<const std::string> ids);
  // The positions of cases with a result that was not skipped.
  std::set<int> positions_tried(const std::string& id);
  Status history_into(StoredHistory& history, const RunQuery& query);

  std::unique_ptr<Database> database_;
  soci::session& sql_;
  std::string place_;
};

Status SqlStore::insert_run(const Record& record, RunState state) {
  const Result<RunRow> row = row_of(record, state);
  if (!row) return fail(row.error());
  int count = 0;
  sql_ << "SELECT COUNT(*) FROM runs WHERE id = :id", soci::use(row->id), soci::into(count);
  if (count > 0)
    return fail(ErrorKind::usage, fmt::format("record {} is already in {}", row->id, database_->name()));
  // `sequence` orders runs, because clocks may be set back. Two writers at once may get the same: then their
  // start decides.
  sql_ << "INSERT INTO runs (id, sequence, suite, suite_hash, revision, branch, dirty, changes, partial, "
          "calibration, machine_class, device_uuid, started, finished, state, verdict, header, side) SELECT "
          ":id, "
          "COALESCE(MAX(sequence), 0) + 1, :suite, :hash, :revision, :branch, CAST(:dirty AS INTEGER), "
          ":changes, CAST(:partial AS INTEGER), CAST(:calibration AS INTEGER), :class, :uuid, :started, "
          ":finished, :state, '', :header, :side FROM "
          "runs",
      soci::use(row->id), soci::use(row->suite), soci::use(row->suite_hash), soci::use(row->revision),
      soci::use(row->branch), soci::use(row->dirty), soci::use(row->changes), soci::use(row->partial),
      soci::use(row->calibration), soci::use(row->machine_class), soci::use(row->device_uuid),
      soci::use(row->started), soci::use(row->finished), soci::use(row->state), soci::use(row->header),
      soci::use(row->side);
  return insert_cases(record.id, record.cases);
}

namespace {

struct CaseRow {
  std::string run, id, device, planned;
  int position = 0;
  int needed = 0;
  int sequence = 0;
};

void bind_case(soci::statement& insert, CaseRow& row) {
  insert.exchange(soci::use(row.run));
  insert.exchange(soci::use(row.position));
  for (std::string* text : {&row.id, &row.device, &row.planned}) insert.exchange(soci::use(*text));
  insert.exchange(soci::use(row.needed));
  insert.exchange(soci::use(row.sequence));
}

}  // namespace

Status SqlStore::insert_cases(const std::string& id, std::span<const CaseRecord> cases) {
  int position = 0, sequence = 0;
  sql_ << "SELECT sequence FROM runs WHERE id = :id", soci::use(id), soci::into(sequence);
  if (!sql_.got_data()) return no_such_run(id);
  sql_ << "SELECT COUNT(*) FROM cases WHERE run = :run", soci::use(id), soci::into(position);
  RowInserter<CaseRow, decltype(&bind_case)> rows(
      sql_, "cases (run, position, id, device, planned, needed, sequence)", 7, "", bind_case);
  std::set<std::string_view> seen;
  for (const CaseRecord& one : cases) {
    if (const Status readable = check_case_id(one); !readable) return readable;
    if (!seen.insert(one.id).second)
      return fail(ErrorKind::usage, fmt::format("case `{}` is there twice", printable(one.id)));
    rows.add(
        {id, one.id, column_text(one.device), encode_case(one), position, processes_needed(one), sequence});
    ++position;
  }
  rows.finish();
  return {};
}

// Results of a record that are in memory as text at the same time.
constexpr std::size_t results_at_once = 2000;

Status SqlStore::insert_record(const Record& record, ResultWriter& writer) {
  if (const Status begun = insert_run(record, RunState::running); !begun) return begun;
  std::vector<EncodedResult> waiting;
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    for (ProcessResult& result : results_of(record.cases[i])) waiting.push_back({std::move(result)});
    if (waiting.size() < results_at_once && i + 1 < record.cases.size()) continue;
    if (const Status stored = writer.put(record.id, waiting); !stored) return stored;
    waiting.clear();
  }
  return close_run(record.id, record.finished.empty() ? RunState::interrupted : RunState::complete);
}

std::set<std::string> SqlStore::campaigns_of(std::span<const std::string> ids) {
  std::set<std::string> found;
  std::string id, campaign;
  soci::statement select = (sql_.prepare << "SELECT campaign FROM campaign_records WHERE run = :run",
                            soci::use(id), soci::into(campaign));
  for (const std::string& one : ids) {
    id = one;
    select.execute();
    while (select.fetch()) found.insert(campaign);
  }
  return found;
}

std::set<int> SqlStore::positions_tried(const std::string& id) {
  std::set<int> tried;
  int position = 0;
  soci::statement select =
      (sql_.prepare << "SELECT DISTINCT position FROM results WHERE run = :run AND outcome <> 'skipped'",
       soci::use(id), soci::into(position));
  select.execute();
  while (select.fetch()) tried.insert(position);
  return tried;
}

Status SqlStore::close_run(const std::string& id, RunState state) {
  Record record;
  const std::set<std::string> none;
  if (const Status there = read_stored_record(*database_, record, id, &none); !there) return there;
  // With one machine there is nothing to choose.
  if (record.machines.size() > 1)
    if (const Status planned = read_stored_plans(*database_, record, id, nullptr); !planned) return planned;
  const std::set<int> tried = positions_tried(id);
  for (std::size_t i = 0; i < record.cases.size(); ++i)
    record.cases[i].outcome = tried.contains(static_cast<int>(i)) ? Outcome::measured : Outcome::skipped;
  const std::string state_name(name_of(state));
  std::string finished;
  if (state == RunState::complete) finished = record.finished.empty() ? utc_timestamp() : record.finished;
  const Machine* machine = primary_machine(record);  // only now is it known what was measured where
  const std::string machine_class = machine == nullptr ? "" : column_text(machine->machine_class);
  const std::string uuid = machine == nullptr ? "" : column_text(machine->device_uuid);
  sql_ << "UPDATE runs SET state = :state, finished = :finished, machine_class = :class, device_uuid = :uuid "
          "WHERE id = :id",
      soci::use(state_name), soci::use(finished), soci::use(machine_class), soci::use(uuid), soci::use(id);
  return {};
}

Status SqlStore::history_into(StoredHistory& history, const RunQuery& query) {
  history = {};
  const auto headers = read_headers(sql_, query);
  for (RunInfo& info : read_runs(sql_, query, RunCounts::failures)) {
    Result<Record> header =
        decode_header(headers.at(info.id), fmt::format("{}: record {}", database_->name(), info.id));
    if (!header) return fail(header.error());
    history.runs.push_back({std::move(info), std::move(header->machines), std::move(header->estimator)});
  }
  read_values(sql_, query.cases, history);
  return {};
}

}  // namespace

namespace {

Result<std::unique_ptr<Store>> open_store(const std::string& url, bool create, const std::string& place,
                                          NoSchema then = NoSchema::is_created) {
  Result<std::unique_ptr<Database>> database = Database::open(url, create);
  if (!database) return fail(database.error());
  if (const Status ready = prepare_schema(**database, then); !ready) return fail(ready.error());
  return std::make_unique<SqlStore>(std::move(*database), place);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::string& url) {
  return open_store(url, true, without_password(url));
}

Result<std::unique_ptr<Store>> Store::open_existing(const std::string& url) {
  return open_store(url, false, without_password(url));
}

Result<std::unique_ptr<Store>> Store::open_read_only(const std::string& url) {
  return open_store(url, false, without_password(url), NoSchema::is_missing);
}

Result<std::unique_ptr<Store>> Store::empty(const std::string& place) {
  return open_store("sqlite::memory:", true, place);
}

}  // namespace harness
