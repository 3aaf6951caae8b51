#include "harness/store/farm/farm_schema.h"

namespace harness {

void create_campaigns(soci::session& sql) {
  sql << "CREATE TABLE campaigns (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, created TEXT NOT NULL, "
         "content TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '', repository TEXT NOT NULL DEFAULT '', "
         "role TEXT NOT NULL DEFAULT '', cancelled INTEGER NOT NULL DEFAULT 0)";
  sql << "CREATE TABLE tasks (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, number "
         "INTEGER NOT NULL, suite INTEGER NOT NULL, first_case INTEGER NOT NULL, case_count INTEGER NOT "
         "NULL, results INTEGER NOT NULL, holder TEXT NOT NULL, taken INTEGER NOT NULL, expires DOUBLE "
         "PRECISION NOT NULL, done INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'measure', "
         "processes_before INTEGER NOT NULL DEFAULT 0, processes INTEGER NOT NULL DEFAULT 0, "
         "avoids TEXT NOT NULL DEFAULT '', device TEXT NOT NULL DEFAULT '', "
         "added DOUBLE PRECISION NOT NULL DEFAULT 0, began DOUBLE PRECISION NOT NULL DEFAULT 0, "
         "seconds DOUBLE PRECISION NOT NULL DEFAULT 0, gpus INTEGER NOT NULL DEFAULT 1, "
         "spent DOUBLE PRECISION NOT NULL DEFAULT 0, PRIMARY KEY (campaign, number))";
  sql << "CREATE INDEX open_tasks ON tasks (campaign, done, number)";
  sql << "CREATE TABLE elements (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, name "
         "TEXT NOT NULL, device TEXT NOT NULL, expires DOUBLE PRECISION NOT NULL, verified INTEGER NOT NULL, "
         "sick TEXT NOT NULL, refused TEXT NOT NULL DEFAULT '', PRIMARY KEY (campaign, name))";
  sql << "CREATE TABLE probes (device TEXT NOT NULL, subject TEXT NOT NULL, element TEXT NOT NULL, log_value "
         "DOUBLE PRECISION NOT NULL, measured DOUBLE PRECISION NOT NULL, PRIMARY KEY (device, subject, "
         "element))";
  sql << "CREATE TABLE campaign_records (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, "
         "run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, PRIMARY KEY (campaign, run))";
  sql << "CREATE INDEX campaigns_by_record ON campaign_records (run)";
  sql << "CREATE TABLE campaign_cases (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, "
         "suite INTEGER NOT NULL, place INTEGER NOT NULL, content TEXT NOT NULL, seconds DOUBLE PRECISION "
         "NOT NULL, PRIMARY KEY (campaign, suite, place))";
}

}  // namespace harness
