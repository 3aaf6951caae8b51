// Store: records in SQLite (default) or PostgreSQL through SOCI. One transaction a result; several processes
// may write at once. A killed writer leaves everything that it had finished. README.md of this folder
// describes it. A Store is used from one thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/codec.h"
#include "harness/model/results/comparison.h"

namespace harness {

enum class RunState {
  running,
  complete,
  interrupted,
  farmed,  // tasks of a campaign fill it (farm/farm_store.h)
};
template <>
inline constexpr auto enum_names<RunState> = names<RunState>({{RunState::running, "running"},
                                                              {RunState::complete, "complete"},
                                                              {RunState::interrupted, "interrupted"},
                                                              {RunState::farmed, "farmed"}});

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
  std::size_t failures = 0;  // results that failed, timed out or were incorrect
  bool partial = false;      // some of the suite's cases were left out
  std::string verdict = {};  // as set_verdict() keeps it; "" when never judged
  bool calibration = false;
  bool paired = false;  // one side of an A/B run
};

// The judge of a record: only its own history tells whether it may be a baseline.
enum class JudgedBy { own_history, another };

struct RunQuery {
  std::optional<std::string> id_prefix;  // how the id begins
  std::optional<std::string> suite;
  std::optional<std::string> suite_hash;
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::optional<std::string> machine_class;
  std::optional<std::string> device_uuid;
  std::optional<RunState> state;
  std::optional<bool> calibration;  // false: neither calibrations nor sides of A/B runs
  bool count_results = true;        // else RunInfo::results and failures stay 0, which is faster
  std::string cases = {};           // of history(): only cases whose id matches this wildcard; "": all
};

// A case of a run as a store knows it without reading samples.
struct StoredCase {
  std::string run;
  std::string id;
  std::string device;  // kind
  int needed = 0;      // processes that the suite asks for; 0: the run sampled less than the suite asks for
  int measured = 0;    // processes that measured it
  int failures = 0;    // processes in which it failed, timed out or was incorrect
  std::string digest = {};   // see Identity; "" where it is unknown, has a gap, or looks disagree
  std::string verdict = {};  // by its last comparison; "" when it was never judged
  bool waived = false;       // the verdict was accepted

  // Everything that the suite asks for is there and right.
  [[nodiscard]] bool complete() const { return needed > 0 && measured >= needed && failures == 0; }
};

// A name that somebody gave a record. In each suite and machine class a name belongs to one record.
struct RecordName {
  std::string name;
  std::string suite;
  std::string machine_class;
  std::string run;
};

// A case with the digest of its launches.
struct CaseDigest {
  std::string id;
  std::string digest;
};

struct StoredHistory;  // in history.h
struct CaseValues;     // the same

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // "sqlite:PATH", a bare path, or "postgresql://user@host/db". Creates the schema when it is not
  // there; another schema version is an error.
  static Result<std::unique_ptr<Store>> open(const std::string& url);
  // The same for reading only: a missing SQLite file is ErrorKind::missing, and none is made.
  static Result<std::unique_ptr<Store>> open_existing(const std::string& url);
  // Opens an existing store for reading. ErrorKind::missing where there is no file or no schema.
  static Result<std::unique_ptr<Store>> open_read_only(const std::string& url);
  // A store in memory, called `place`, for a place without a store yet.
  static Result<std::unique_ptr<Store>> empty(const std::string& place);

  // Where it is, without a password, for messages.
  [[nodiscard]] virtual std::string place() const = 0;

  // Starts a record: its header and the cases as planned (record.cases without results).
  virtual Status begin(const Record& header) = 0;
  // Adds a case to a record already begun, as planned, behind those that it has.
  virtual Status add_case(const std::string& id, const CaseRecord& planned) = 0;
  // Replaces the header of a record already begun (machines become known while it runs).
  virtual Status update_header(const Record& header) = 0;
  // Adds one result; a repeated (case, process) replaces the old one. The text of a result that has one is
  // stored as it is.
  virtual Status put(const std::string& id, const EncodedResult& result) = 0;
  virtual Status finish(const std::string& id, RunState state) = 0;

  // Keeps the verdict of a comparison on the record, by name, and on its judged cases. A later one replaces
  // it.
  virtual Status set_verdicts(const std::string& id, const std::string& verdict,
                              std::span<const CaseVerdict> cases, JudgedBy by) = 0;
  // Whether the user may keep verdicts: a role of a server may lack the right.
  virtual Result<bool> may_judge() = 0;
  // The same without verdicts by case: one that says something of each case is set for each.
  virtual Status set_verdict(const std::string& id, const std::string& verdict) = 0;

  virtual Result<Record> load(const std::string& id) = 0;
  // The record with these of its cases alone.
  virtual Result<Record> load_cases(const std::string& id, const std::set<std::string>& cases) = 0;
  // The cases of a run in the order of the suite.
  virtual Result<std::vector<StoredCase>> cases_of(const std::string& run) = 0;
  // A case in all runs that measured or looked at it, the newest first.
  virtual Result<std::vector<StoredCase>> runs_of_case(const std::string& case_id) = 0;
  // For each of `wanted`, the cases of this digest with samples in the newest runs, at most `limit`.
  virtual Result<std::vector<StoredCase>> cases_alike(std::span<const CaseDigest> wanted, int limit) = 0;
  // Newest first, by the order in which they were begun, not by a clock.
  virtual Result<std::vector<RunInfo>> list(const RunQuery& query) = 0;
  // The value of each process of the runs that `query` finds; no raw sample is read. Results are not counted,
  // but failures are.
  virtual Result<StoredHistory> history(const RunQuery& query) = 0;
  // The values of each of `runs`, in this order, on devices of a kind. No row for a run that is not there.
  virtual Result<std::vector<std::vector<CaseValues>>> values_of(std::span<const std::string> runs,
                                                                 const std::string& device) = 0;
  // One case as a run planned it, without results: its gate and its place in the suite.
  virtual Result<CaseRecord> planned_case(const std::string& id, const std::string& case_id) = 0;

  // Names a record; another one of its suite and machine class loses the name.
  virtual Status set_name(const std::string& id, const std::string& name) = 0;
  virtual Result<std::vector<RecordName>> names() = 0;
  // Removes records with all their rows, in one transaction, and frees the room.
  virtual Status remove(std::span<const std::string> ids) = 0;

  // begin + every result + finish of each record, all of them in one transaction; for imports.
  virtual Status put_records(std::span<const Record> records) = 0;
  Status put_record(const Record& record) { return put_records({&record, 1}); }
};

inline constexpr const char* default_store = ".harness/results.db";

// A URL with any password replaced by "***", for messages.
std::string without_password(const std::string& url);

}  // namespace harness
