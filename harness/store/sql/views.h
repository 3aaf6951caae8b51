// Views: what other programs (Grafana, notebooks) read of a store. Their names and columns stay, whatever
// becomes of the tables. README.md of harness/store/postgresql lists them.
#pragma once

#include "harness/store/sql/database.h"

namespace harness {

// Called in the transaction that creates the schema.
void create_views(Database& database);

}  // namespace harness
