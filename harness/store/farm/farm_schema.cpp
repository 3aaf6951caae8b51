#include "harness/store/farm/farm_schema.h"

namespace harness {

void add_elements(soci::session& sql) {
  for (const char* column :
       {"kind TEXT NOT NULL DEFAULT 'measure'", "processes_before INTEGER NOT NULL DEFAULT 0",
        "processes INTEGER NOT NULL DEFAULT 0", "avoids TEXT NOT NULL DEFAULT ''",
        "device TEXT NOT NULL DEFAULT ''", "added DOUBLE PRECISION NOT NULL DEFAULT 0",
        "began DOUBLE PRECISION NOT NULL DEFAULT 0", "seconds DOUBLE PRECISION NOT NULL DEFAULT 0"})
    sql << std::string("ALTER TABLE tasks ADD COLUMN ") + column;
  sql << "CREATE TABLE elements (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, name "
         "TEXT NOT NULL, device TEXT NOT NULL, expires DOUBLE PRECISION NOT NULL, verified INTEGER NOT NULL, "
         "sick TEXT NOT NULL, PRIMARY KEY (campaign, name))";
  sql << "CREATE TABLE probes (device TEXT NOT NULL, subject TEXT NOT NULL, element TEXT NOT NULL, log_value "
         "DOUBLE PRECISION NOT NULL, measured DOUBLE PRECISION NOT NULL, PRIMARY KEY (device, subject, "
         "element))";
}

void add_task_gpus(soci::session& sql) {
  sql << "ALTER TABLE tasks ADD COLUMN gpus INTEGER NOT NULL DEFAULT 1";
}

void add_campaign_owners(soci::session& sql) {
  for (const char* column : {"campaigns ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
                             "campaigns ADD COLUMN repository TEXT NOT NULL DEFAULT ''",
                             "campaigns ADD COLUMN role TEXT NOT NULL DEFAULT ''",
                             "campaigns ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0",
                             "elements ADD COLUMN refused TEXT NOT NULL DEFAULT ''",
                             "tasks ADD COLUMN spent DOUBLE PRECISION NOT NULL DEFAULT 0"})
    sql << std::string("ALTER TABLE ") + column;
  sql << "CREATE TABLE campaign_records (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, "
         "run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, PRIMARY KEY (campaign, run))";
  sql << "CREATE INDEX campaigns_by_record ON campaign_records (run)";
  sql << "CREATE TABLE campaign_cases (campaign TEXT NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE, "
         "suite INTEGER NOT NULL, place INTEGER NOT NULL, content TEXT NOT NULL, seconds DOUBLE PRECISION "
         "NOT "
         "NULL, PRIMARY KEY (campaign, suite, place))";
}

}  // namespace harness
