// Schema: the tables of a store and how an older store becomes a current one. README.md describes them.
#pragma once

#include "harness/base/result.h"
#include "harness/store/sql/database.h"

namespace harness {

inline constexpr int schema_version = 10;
// Stores from this version on can be read as they are.
inline constexpr int oldest_readable_schema = 9;

// `if_allowed`: a store that can be read, but not written, stays as it is.
enum class SchemaChange { yes, if_allowed, no };

// Creates the tables, or brings those of an older version up to date. A newer version is an error. Without a
// change one that is too old is ErrorKind::usage, and none ErrorKind::missing.
Status prepare_schema(Database& database, SchemaChange change);

}  // namespace harness
