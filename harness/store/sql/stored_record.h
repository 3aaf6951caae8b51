// Reads a record from its rows; used inside store/ only, in a transaction.
#pragma once

#include <set>
#include <string>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/sql/database.h"

namespace harness {

Status no_such_record(const Database& database, const std::string& id);

// `wanted`: these cases alone; null: all.
Status read_stored_record(Database& database, Record& record, const std::string& id,
                          const std::set<std::string>* wanted);

// Adds the cases as planned, without results.
Status read_stored_plans(Database& database, Record& record, const std::string& id,
                         const std::set<std::string>* wanted);

}  // namespace harness
