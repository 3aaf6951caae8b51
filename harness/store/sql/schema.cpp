#include "harness/store/sql/schema.h"

#include <fmt/format.h>

#include <array>

#include "harness/store/farm/farm_schema.h"
#include "harness/store/sql/stored_cases.h"
#include "harness/store/sql/values.h"
#include "harness/store/sql/views.h"

namespace harness {
namespace {

void create_version_1(Database& database) {
  soci::session& sql = database.sql();
  sql << "CREATE TABLE runs (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, suite TEXT NOT NULL, "
         "suite_hash TEXT NOT NULL, revision TEXT NOT NULL, branch TEXT NOT NULL, dirty INTEGER NOT NULL, "
         "changes TEXT NOT NULL, partial INTEGER NOT NULL, machine_class TEXT NOT NULL, device_uuid TEXT NOT "
         "NULL, started TEXT NOT NULL, "
         "finished TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT NOT NULL, header TEXT NOT NULL)";
  sql << "CREATE INDEX runs_by_suite ON runs (suite, revision)";
  sql << "CREATE TABLE cases (run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, "
         "position INTEGER NOT NULL, id TEXT NOT NULL, device TEXT NOT NULL, planned TEXT NOT NULL, "
         "PRIMARY KEY (run, position), UNIQUE (run, id))";
  sql << "CREATE TABLE results (run TEXT NOT NULL, position INTEGER NOT NULL, process INTEGER NOT NULL, "
         "outcome TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (run, position, process), "
         "FOREIGN KEY (run, position) REFERENCES cases (run, position) ON DELETE CASCADE)";
}

// Values beside the samples, runs that calibrate, and an index that counts failures without reading results.
void become_version_2(Database& database) {
  soci::session& sql = database.sql();
  sql << "ALTER TABLE runs ADD COLUMN calibration INTEGER NOT NULL DEFAULT 0";
  sql << "CREATE INDEX results_by_outcome ON results (run, outcome)";
  add_values(sql);
}

// Adds the state of each case, so that baselines are found by case.
void become_version_3(Database& database) {
  add_case_columns(database.sql());
}

// Names of records.
void become_version_4(Database& database) {
  soci::session& sql = database.sql();
  sql << "CREATE TABLE record_names (name TEXT NOT NULL, suite TEXT NOT NULL, machine_class TEXT NOT NULL, "
         "run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, PRIMARY KEY (name, suite, "
         "machine_class))";
}

// Campaigns and their tasks (farm/farm_store.h).
void become_version_5(Database& database) {
  soci::session& sql = database.sql();
  sql << "CREATE TABLE campaigns (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, created TEXT NOT NULL, "
         "content TEXT NOT NULL)";
  sql << "CREATE TABLE tasks (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, number "
         "INTEGER NOT NULL, suite INTEGER NOT NULL, first_case INTEGER NOT NULL, case_count INTEGER NOT "
         "NULL, results INTEGER NOT NULL, holder TEXT NOT NULL, taken INTEGER NOT NULL, expires DOUBLE "
         "PRECISION NOT NULL, done INTEGER NOT NULL, PRIMARY KEY (campaign, number))";
  sql << "CREATE INDEX open_tasks ON tasks (campaign, done, number)";
}

// An index of failures alone, which are few. Views came with it; version 9 makes them.
void become_version_6(Database& database) {
  database.sql() << "DROP INDEX results_by_outcome";
  database.sql()
      << "CREATE INDEX failed_results ON results (run, position) WHERE outcome IN ('incorrect', 'failed', "
         "'timed_out')";
}

void become_version_7(Database& database) {
  add_elements(database.sql());
}

void become_version_8(Database& database) {
  add_task_gpus(database.sql());
}

// Owners of campaigns; what a comparison said of a case, beside what chooses baselines; sides of A/B records.
void become_version_9(Database& database) {
  add_campaign_owners(database.sql());
  add_told_verdicts(database.sql());
  database.sql() << "ALTER TABLE runs ADD COLUMN side TEXT NOT NULL DEFAULT ''";
  for (const char* view : {"run_list", "case_states", "result_values", "campaign_progress"})
    database.sql() << std::string("DROP VIEW IF EXISTS ") + view;
  create_views(database);
}

// A hash of each result's text, so that damage in the file does not become a verdict. "": of an older
// version.
void become_version_10(Database& database) {
  database.sql() << "ALTER TABLE results ADD COLUMN checksum TEXT NOT NULL DEFAULT ''";
}

// Step i brings version i to version i + 1.
constexpr std::array<void (*)(Database&), schema_version> steps{
    create_version_1, become_version_2, become_version_3, become_version_4, become_version_5,
    become_version_6, become_version_7, become_version_8, become_version_9, become_version_10};

// 0 where there is no schema yet. Called in a transaction.
Result<int> version_of(Database& database) {
  const Result<bool> there = database.has_schema();
  if (!there) return fail(there.error());
  int version = 0;
  if (*there) database.sql() << "SELECT MAX(version) FROM harness_schema", soci::into(version);
  return version;
}

Status migrate(Database& database) {
  database.lock_schema();
  const Result<bool> there = database.has_schema();  // again: another process may have done it
  if (!there) return fail(there.error());
  if (!*there) {
    database.sql() << "CREATE TABLE harness_schema (version INTEGER NOT NULL)";
    database.sql() << "INSERT INTO harness_schema (version) VALUES (0)";
  }
  const Result<int> found = version_of(database);
  if (!found) return fail(found.error());
  for (int version = *found; version < schema_version; ++version) {
    steps.at(static_cast<std::size_t>(version))(database);
    database.sql() << "UPDATE harness_schema SET version = " << version + 1;
  }
  return {};
}

}  // namespace

Status prepare_schema(Database& database, SchemaChange change) {
  int version = 0;
  const Status looked = database.read([&]() -> Status {
    const Result<int> found = version_of(database);
    if (!found) return fail(found.error());
    version = *found;
    return {};
  });
  if (!looked) return fail(looked.error());
  if (version > schema_version)
    return fail(ErrorKind::usage, Location{database.name()},
                fmt::format("is a store of version {}; this harness knows versions up to {}", version,
                            schema_version),
                "use a newer harness, or name another store with --store");
  if (version == schema_version) return {};
  if (change == SchemaChange::no) {
    if (version == 0) return fail(ErrorKind::missing, Location{database.name()}, "holds no records", "");
    if (version >= oldest_readable_schema) {
      database.only_read(version);
      return {};
    }
    return fail(ErrorKind::usage, Location{database.name()},
                fmt::format("is a store of version {}, and is only read; this harness has version {}",
                            version, schema_version),
                "a run without --keep-in, on the default branch, updates the store");
  }
  const Status migrated = database.write([&] { return migrate(database); });
  if (migrated || change == SchemaChange::yes || version < oldest_readable_schema) return migrated;
  if (migrated.error().kind == ErrorKind::away) return migrated;  // somebody else writes now
  database.only_read(version);
  return {};
}

}  // namespace harness
