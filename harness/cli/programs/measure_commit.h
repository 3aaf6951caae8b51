// The records that a bisection compares: from the store, or built and measured in a worktree.
#pragma once

#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/store.h"
#include "harness/store/worktree.h"

namespace harness {

struct BisectMeasuring {
  std::string suite_file;  // relative to the repository
  std::string suite;       // its name
  std::string pattern;     // of cases, or ""
  std::string metric;      // that is judged; "": all that decide
  std::string device;      // as `run --device` takes it, or ""
  std::string build;       // shell command, run in the worktree
  std::string folder;      // where the user stands, relative to the repository
};

// The result of asking for a record of a commit.
struct BisectSide {
  std::optional<Record> record;
  std::string why_not;       // it cannot be tested: the build failed, a case failed
  bool stored = false;       // it was there already
  bool interrupted = false;  // by Ctrl-C
};

// Owns the worktree, which is made when something is first measured.
class BisectMeasurer {
 public:
  BisectMeasurer(Store& store, BisectMeasuring how) : store_(store), how_(std::move(how)) {}

  // The best record in the store: of `device_uuid` before another's, of at least `processes`.
  Result<std::optional<Record>> stored(const std::string& commit, const std::string& device_uuid,
                                       int processes);
  // Builds and measures the commit and puts its record into the store. `processes` 0: as the suite says.
  Result<BisectSide> measure(const std::string& commit, int processes);

 private:
  Result<BisectSide> run_suite(const std::string& commit, int processes);

  Store& store_;
  BisectMeasuring how_;
  std::optional<Worktree> worktree_;
  std::string built_;  // the commit that the worktree holds, built
};

}  // namespace harness
