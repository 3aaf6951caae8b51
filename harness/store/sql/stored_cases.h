// The table of cases beside their plans: how much of each was measured, whether it is what the
// suite asks for, what its calls do (digest), and how it was judged. So baselines are found without reading
// samples. Used inside store/ only.
#pragma once

#include <soci/soci.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/store.h"

namespace harness {

// The place of each case of a run, by id.
std::map<std::string, int> positions_of(soci::session& sql, const std::string& run);

// Brings the counts of the cases at these positions up to date.
void count_results(soci::session& sql, const std::string& run, std::span<const int> positions);

// Keeps what a look at the case's launches found, if `result` is one.
void keep_digest(soci::session& sql, const std::string& run, int position, const ProcessResult& result);

// As Store has them.
std::vector<StoredCase> read_cases_of(soci::session& sql, const std::string& run);
std::vector<StoredCase> read_runs_of_case(soci::session& sql, const std::string& case_id);
std::vector<StoredCase> read_cases_alike(soci::session& sql, std::span<const CaseDigest> wanted, int limit);

// These verdicts, and none for the other cases of the run. Only one by the record's own history chooses
// baselines (the columns `verdict` and `waived`); any is told (`told_verdict`, `told_waived`).
void write_case_verdicts(soci::session& sql, const std::string& run, std::span<const CaseVerdict> cases,
                         JudgedBy by);

// The verdict of a whole record for each of its cases, where it says something of each.
void spread_verdict(soci::session& sql, const std::string& run, const std::string& verdict);

}  // namespace harness
