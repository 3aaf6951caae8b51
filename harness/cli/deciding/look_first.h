// The look before a run: one process reads the launches of each case, and cases that provably do what the
// baseline's do are not measured. It takes seconds for a suite.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "harness/cli/measuring/measure_into.h"
#include "harness/cli/measuring/measure_record.h"
#include "harness/cli/programs/record_keeper.h"

namespace harness {

// Looks by case, without those that failed: their cases are measured.
struct Looks {
  std::map<std::string, EncodedResult> results = {};
  // The same of traced programs that were started twice.
  std::map<std::string, EncodedResult> second = {};
  bool interrupted = false;
  Seconds took = 0;
  std::size_t without = 0;  // cases whose device told no launches

  // The device tells none of any case, so that looking at the others would prove nothing.
  [[nodiscard]] bool useless() const { return results.empty() && without >= 16; }
};

// Looks at every case of the plan. `record` learns its machines; nothing else is stored.
Result<Looks> look_at(Store& store, Record& record, const Plan& plan, const Prepared& prepared, bool quiet);

// Keeps a result only if it tried to read launches. An error ends a look that is useless().
Status keep_look(Looks& looks, EncodedResult result);

// `record` with the looks among its results.
Record with_looks(Record record, const Looks& looks);

// Puts the looks of the spared cases into the store, unless it has them. A traced program's kernels, which no
// plan names, become cases of their own, as they do where it is measured.
Status put_spared(RecordKeeper& keeper, const Looks& looks, const std::set<std::string>& spared,
                  const Plan& plan);

// A record whose cases are looked at.
struct SparingRequest {
  Store& store;
  const Plan& plan;
  const Prepared& prepared;
  bool quiet = false;
  // The baseline of a record whose machines are known.
  std::function<Result<Record>(const Record&)> find_baseline;
  BuildParts build;  // that runs here; the looks of its records are known
};

// Looks at all cases before measuring. Cases that do what the baseline's do are not measured: their look is
// their result. Without a baseline all are measured, and judging will say that there is none.
Result<SparedCases> spare_identical(const SparingRequest& request, Record& record);

// The cases of a plan that are not skipped.
std::size_t runnable(const Plan& plan);

}  // namespace harness
