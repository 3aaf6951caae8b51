#include "harness/store/sql/schema.h"

#include <fmt/format.h>

#include "harness/store/farm/farm_schema.h"
#include "harness/store/sql/views.h"

namespace harness {
namespace {

void create_runs(soci::session& sql) {
  sql << "CREATE TABLE runs (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, suite TEXT NOT NULL, "
         "suite_hash TEXT NOT NULL, revision TEXT NOT NULL, branch TEXT NOT NULL, dirty INTEGER NOT NULL, "
         "changes TEXT NOT NULL, partial INTEGER NOT NULL, machine_class TEXT NOT NULL, device_uuid TEXT NOT "
         "NULL, started TEXT NOT NULL, finished TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT NOT NULL, "
         "header TEXT NOT NULL, calibration INTEGER NOT NULL DEFAULT 0, side TEXT NOT NULL DEFAULT '')";
  sql << "CREATE INDEX runs_by_suite ON runs (suite, revision)";
  sql << "CREATE TABLE record_names (name TEXT NOT NULL, suite TEXT NOT NULL, machine_class TEXT NOT NULL, "
         "run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, PRIMARY KEY (name, suite, "
         "machine_class))";
}

// The state of each case stands beside its plan, so that baselines are found by case. `told_verdict` is any
// comparison's, `verdict` one that chooses baselines.
void create_cases(soci::session& sql) {
  sql << "CREATE TABLE cases (run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, "
         "position INTEGER NOT NULL, id TEXT NOT NULL, device TEXT NOT NULL, planned TEXT NOT NULL, "
         "needed INTEGER NOT NULL DEFAULT 0, measured INTEGER NOT NULL DEFAULT 0, "
         "failures INTEGER NOT NULL DEFAULT 0, waived INTEGER NOT NULL DEFAULT 0, "
         "sequence INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL DEFAULT '', "
         "verdict TEXT NOT NULL DEFAULT '', told_verdict TEXT NOT NULL DEFAULT '', "
         "told_waived INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, position), UNIQUE (run, id))";
  sql << "CREATE INDEX cases_by_digest ON cases (id, digest, sequence)";
}

// A checksum is a hash of the result's text, so that damage in the file does not become a verdict. Values
// stand beside the samples. Failures are few, and their index counts them without reading results.
void create_results(soci::session& sql) {
  sql << "CREATE TABLE results (run TEXT NOT NULL, position INTEGER NOT NULL, process INTEGER NOT NULL, "
         "outcome TEXT NOT NULL, result TEXT NOT NULL, checksum TEXT NOT NULL, "
         "PRIMARY KEY (run, position, process), "
         "FOREIGN KEY (run, position) REFERENCES cases (run, position) ON DELETE CASCADE)";
  sql << "CREATE INDEX failed_results ON results (run, position) WHERE outcome IN ('incorrect', 'failed', "
         "'timed_out')";
  sql << "CREATE TABLE process_values (run TEXT NOT NULL, position INTEGER NOT NULL, process INTEGER NOT "
         "NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, estimator TEXT NOT NULL, "
         "log_value DOUBLE PRECISION, PRIMARY KEY (run, position, process, metric), "
         "FOREIGN KEY (run, position, process) REFERENCES results (run, position, process) ON DELETE "
         "CASCADE)";
}

// None where there is no schema. Called in a transaction.
Result<std::optional<int>> version_of(Database& database) {
  const Result<bool> there = database.has_schema();
  if (!there) return fail(there.error());
  if (!*there) return std::optional<int>();
  int version = 0;
  database.sql() << "SELECT MAX(version) FROM harness_schema", soci::into(version);
  return std::optional(version);
}

Status create_schema(Database& database) {
  database.lock_schema();
  const Result<bool> there = database.has_schema();  // again: another process may have done it
  if (!there) return fail(there.error());
  if (*there) return {};
  soci::session& sql = database.sql();
  create_runs(sql);
  create_cases(sql);
  create_results(sql);
  create_campaigns(sql);
  create_views(database);
  sql << "CREATE TABLE harness_schema (version INTEGER NOT NULL)";
  sql << "INSERT INTO harness_schema (version) VALUES (" << schema_version << ")";
  return {};
}

}  // namespace

Status prepare_schema(Database& database, NoSchema then) {
  std::optional<int> version;
  const Status looked = database.read([&]() -> Status {
    const auto found = version_of(database);
    if (!found) return fail(found.error());
    version = *found;
    return {};
  });
  if (!looked) return fail(looked.error());
  if (version == schema_version) return {};
  if (version)
    return fail(
        ErrorKind::usage, Location{database.name()},
        fmt::format("is a store of version {}; this harness has version {}", *version, schema_version),
        "name another store with --store, or use the harness that wrote this one");
  if (then == NoSchema::is_missing)
    return fail(ErrorKind::missing, Location{database.name()}, "holds no records", "");
  return database.write([&] { return create_schema(database); });
}

}  // namespace harness
