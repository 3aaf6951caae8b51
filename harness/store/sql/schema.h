// Schema: the tables of a store and how an older store becomes a current one. README.md describes them.
#pragma once

#include "harness/base/result.h"
#include "harness/store/sql/database.h"

namespace harness {

inline constexpr int schema_version = 10;

enum class SchemaChange { yes, no };

// Creates the tables, or brings those of an older version up to date. A newer version is an error. Without a
// change an older one is ErrorKind::usage, and none ErrorKind::missing.
Status prepare_schema(Database& database, SchemaChange change);

}  // namespace harness
