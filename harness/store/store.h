// Store: records at rest, in SQLite (default) or PostgreSQL through SOCI. One transaction a result;
// several processes may write at once; a killed writer leaves a readable store with everything it
// had finished. The schema and its version are described in README.md of this folder.
// A Store is used from one thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/codec.h"

namespace harness {

enum class RunState { running, complete, interrupted };
template <>
inline constexpr auto enum_names<RunState> = names<RunState>({{RunState::running, "running"},
                                                              {RunState::complete, "complete"},
                                                              {RunState::interrupted, "interrupted"}});

struct RunInfo {
  std::string id;  // the record's UUID
  std::string suite;
  std::string suite_hash;
  Revision revision;
  std::string machine_class;
  std::string device_uuid;
  std::string started;
  std::string finished;
  RunState state = RunState::running;
  std::size_t results = 0;   // stored (case, process) pairs
  std::size_t failures = 0;  // of them: failed, timed out or incorrect
  bool partial = false;      // some of the suite's cases were left out
  std::string verdict = {};  // as set_verdict() keeps it; "" when never judged
  bool calibration = false;
  bool paired = false;  // one side of an A/B run
};

struct RunQuery {
  std::optional<std::string> id_prefix;  // how the id begins
  std::optional<std::string> suite;
  std::optional<std::string> suite_hash;
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::optional<std::string> machine_class;
  std::optional<std::string> device_uuid;
  std::optional<RunState> state;
  std::optional<bool> calibration;  // false: neither that nor one side of an A/B run
};

struct StoredHistory;  // in history.h

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // "sqlite:PATH", a bare path, or "postgresql://user@host/db". Creates the schema when it is not
  // there; a newer schema version is an error.
  static Result<std::unique_ptr<Store>> open(const std::string& url);
  // The same for those who only read: a SQLite file that is not there is ErrorKind::missing, and none
  // is made.
  static Result<std::unique_ptr<Store>> open_existing(const std::string& url);

  // Starts a record: its header and the cases as planned (record.cases without results).
  virtual Status begin(const Record& header) = 0;
  // Replaces the header of a record already begun (machines become known while it runs).
  virtual Status update_header(const Record& header) = 0;
  // Adds one result; a repeated (case, process) replaces the old one. The text of a result that has one is
  // stored as it is.
  virtual Status put(const std::string& id, const EncodedResult& result) = 0;
  virtual Status finish(const std::string& id, RunState state) = 0;

  // Keeps what a comparison said of the record, by the verdict's name; a later one replaces it.
  virtual Status set_verdict(const std::string& id, const std::string& verdict) = 0;

  virtual Result<Record> load(const std::string& id) = 0;
  // Newest first.
  virtual Result<std::vector<RunInfo>> list(const RunQuery& query) = 0;
  // The value of each process of the runs that `query` finds; no raw sample is read.
  virtual Result<StoredHistory> history(const RunQuery& query) = 0;
  // One case as a run planned it, without results: its gate and its place in the suite.
  virtual Result<CaseRecord> planned_case(const std::string& id, const std::string& case_id) = 0;

  // begin + every result + finish of each record, all of them in one transaction; for imports.
  virtual Status put_records(std::span<const Record> records) = 0;
  Status put_record(const Record& record) { return put_records({&record, 1}); }
};

inline constexpr const char* default_store = ".harness/results.db";

// A URL with any password replaced by "***", for messages.
std::string without_password(const std::string& url);

}  // namespace harness
