// The record that a run writes to: a new one, or with --continue the one that an interrupted run left.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/result.h"
#include "harness/model/plan.h"
#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

// How a run is begun.
struct BeginOptions {
  // The revision where the tree was carried without its repository; "": what is checked out.
  std::string commit = {};
  bool resume = false;     // continue the newest unfinished record
  bool partial = false;    // some of the suite's cases were left out
  bool any_looks = false;  // a continued record keeps the looks that it declared, whatever the plan's are
  bool kept = true;        // false: the record goes away, so nobody misses a revision
};

// A record that this process alone writes to, for as long as the lock lives.
struct OpenRun {
  Record record;
  FileLock lock;
};

// A continued record must be of the same suite, revision, uncommitted changes, cases, sampling and program.
// No living run may be writing to it. Otherwise the error says what differs.
Result<OpenRun> begin_run(Store& store, const Plan& plan, const BeginOptions& options);

// Empties Record::build, here and in the store, where another build runs now: nobody could tell which results
// are of which.
Status forget_another_build(Store& store, Record& record, const Plan& plan);

// The lock that keeps others from writing to a record.
Result<FileLock> lock_record(const std::string& id);

// Refuses to mix two machines in one record: an error when `record` has this kind of device already and
// it is another one, or its clock is locked otherwise.
Status check_same_machine(const Record& record, const std::string& kind, const Machine& machine);

// The (case, process) pairs that a record holds.
std::set<std::pair<std::string, int>> measured_pairs(const Record& record);

}  // namespace harness
