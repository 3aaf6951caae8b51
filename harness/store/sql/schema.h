// Schema: the tables of a store. README.md describes them.
#pragma once

#include "harness/base/result.h"
#include "harness/store/sql/database.h"

namespace harness {

inline constexpr int schema_version = 10;

enum class NoSchema { is_created, is_missing };

// Creates the tables where there are none, or is ErrorKind::missing there. Tables of another version are
// ErrorKind::usage.
Status prepare_schema(Database& database, NoSchema then);

}  // namespace harness
