// Candidates: the records of a commit's history that may judge a run, nearest first.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/selected.h"
#include "harness/store/store.h"

namespace harness {

// Where the search for a baseline starts.
struct Start {
  std::string commit;
  std::string name;    // as the user named it
  std::string fork;    // the commit whose merge base with `name` the start is, or ""
  bool itself = true;  // whether a record of this very commit comes first; else it comes last

  // "merge base of main and 89abcdef01", "main".
  [[nodiscard]] std::string text() const;
};

// The merge base of the named commit and the record's; or the named commit itself when the record's is not in
// this repository.
Result<Start> find_start(const std::string& name, const std::string& asked, const Revision& revision,
                         const std::filesystem::path& folder);

struct Wanted {
  std::string suite;          // "": of any suite
  std::string machine_class;  // "": of any class
  std::string device_uuid;
  std::string not_id;              // of the current record, which is never its own baseline
  std::vector<std::string> among;  // only these records, unless empty
};

Wanted wanted_from(const Selected& current, const SelectOptions& options);

// The file under baselines/ as it is at the start.
struct Pinned {
  Record record;
  std::string path;
};

struct Candidate {
  RunInfo run;
  int distance = 0;
  const Record* pin = nullptr;  // the record itself, where it is the pinned file

  [[nodiscard]] bool judged() const { return pin != nullptr || !run.verdict.empty(); }
};

struct Candidates {
  // Clean, complete runs of ancestors, of any device; the pinned file among them. The nearest commit first;
  // within a commit whole runs before partial ones, then the newest, by the order in which they were begun.
  std::vector<Candidate> all;
  // So many of `all` are ancestors. Behind them stand, where the start is on the branch itself, earlier runs
  // of its own commit: they serve where no ancestor does.
  std::size_t ancestors = 0;
  std::shared_ptr<const Pinned> pinned;  // that `all` points into; may be null
  std::optional<Error> pin_error;        // why the pinned file was not read
};

Result<Candidates> candidates_of(Store& store, const Start& start, const Wanted& wanted,
                                 const std::filesystem::path& folder);

}  // namespace harness
