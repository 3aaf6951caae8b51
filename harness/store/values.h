// Values: the one value a process of each stored result, kept beside the raw samples so that a history of
// many thousand results is read without them. Written with the result, in its transaction. Used inside
// store/ only.
#pragma once

#include <soci/soci.h>

#include <string>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/history.h"

namespace harness {

// Replaces what the store holds of the result's values. The case must be among those of the record `id`.
void put_values(soci::session& sql, const std::string& id, const ProcessResult& result);

// The step from version 1 of the schema: a table of values, filled from the results that are there. A
// result that cannot be read gives none.
void add_values(soci::session& sql);

// Fills `series` with the values of the runs that `history` names.
void read_values(soci::session& sql, StoredHistory& history);

}  // namespace harness
