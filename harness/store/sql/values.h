// Values: the one value a process of each stored result, kept beside the raw samples so that a history of
// many thousand results is read without them. Written with the result, in its transaction. Used inside
// store/ only.
#pragma once

#include <soci/soci.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/history.h"

namespace harness {

// A column is text without zero bytes, which neither database takes.
std::string column_text(std::string text);

// Results of a record by case (its position) and process.
using ResultsOfCases = std::map<std::pair<int, int>, const ProcessResult*>;

// Calls `take` with a condition for the positions of results, at_positions(), and with their keys,
// "(position, process), ...", some of them at a time.
void for_each_batch(const ResultsOfCases& results,
                    const std::function<void(const std::string& positions, const std::string& keys)>& take);

// Adds the values of results that the record `run` holds without them, or removes them.
void write_values(soci::session& sql, const std::string& run, const ResultsOfCases& results);
void remove_values(soci::session& sql, const std::string& run, const ResultsOfCases& results);

// Fills `series` with the values of the runs that `history` names, of cases whose id matches `pattern`; "":
// of all.
void read_values(soci::session& sql, const std::string& pattern, StoredHistory& history);

// In the column `digest` of a case: looks that disagree, or that could not read everything. No digest is
// that.
inline constexpr std::string_view no_digest = "-";

// As Store::values_of().
std::vector<std::vector<CaseValues>> read_values_of(soci::session& sql, std::span<const std::string> runs,
                                                    const std::string& device);

}  // namespace harness
