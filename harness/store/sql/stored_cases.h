// The table of cases beside their plans: how much of each was measured, whether it is what the
// suite asks for, what its calls do (digest), and how it was judged. So baselines are found without reading
// samples. Used inside store/ only.
#pragma once

#include <soci/soci.h>

#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

// Keeps the counts and the digest of a case up to date, by a statement that is prepared once.
class CaseCounter {
 public:
  explicit CaseCounter(soci::session& sql);
  CaseCounter(const CaseCounter&) = delete;  // the statement keeps references to the members
  CaseCounter& operator=(const CaseCounter&) = delete;
  ~CaseCounter() = default;

  // After `result` was put into the run.
  void count(const std::string& run, const ProcessResult& result);

 private:
  std::string run_, case_id_, digest_;
  soci::statement update_;
};

// As Store has them.
std::vector<StoredCase> read_cases_of(soci::session& sql, const std::string& run);
std::vector<StoredCase> read_runs_of_case(soci::session& sql, const std::string& case_id);
std::vector<StoredCase> read_cases_alike(soci::session& sql, std::span<const CaseDigest> wanted, int limit);

// These verdicts, and none for the other cases of the run.
void write_case_verdicts(soci::session& sql, const std::string& run, std::span<const CaseVerdict> cases);

// The verdict of a whole record for each of its cases, where it says something of each.
void spread_verdict(soci::session& sql, const std::string& run, const std::string& verdict);

// The step from version 2 of the schema: columns beside the plans, filled from what is there.
void add_case_columns(soci::session& sql);

}  // namespace harness
