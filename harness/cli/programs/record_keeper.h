// RecordKeeper: a record that is being measured, kept in step with the store. One thread at a time.
#pragma once

#include <map>
#include <string>

#include "harness/cli/programs/late_results.h"
#include "harness/measure/schedule/run_options.h"
#include "harness/store/store.h"

namespace harness {

class RecordKeeper {
 public:
  RecordKeeper(Store& store, Record& record);

  // Keeps a result. `record` has it also where the store fails. Where the store is locked, it is written
  // later.
  Status put(const EncodedResult& result);
  // Waits for a locked store, and writes what is late.
  Status write_late();
  // Makes a case of a benchmark that is not in the record yet.
  Status add_case(const PlannedCase& planned);
  [[nodiscard]] bool store_failed() const { return store_failed_; }

 private:
  Status put_or_delay(const EncodedResult& result);

  Store& store_;
  Record& record_;
  LateResults late_;
  std::map<std::string, std::size_t, std::less<>> cases_;  // places in the record, by id
  bool store_failed_ = false;
};

// Lets the adapters of `harness import` read the output of programs.
void read_programs(RunOptions& options);

}  // namespace harness
