#include "harness/store/sql/views.h"

#include <fmt/format.h>

namespace harness {

void create_views(Database& database) {
  soci::session& sql = database.sql();
  const std::string time = database.moment("r.started");
  sql << fmt::format(
      "CREATE VIEW run_list AS SELECT {} AS time, r.id AS run, r.sequence, r.suite, r.revision, r.branch, "
      "r.dirty, r.machine_class, r.device_uuid, r.state, r.verdict, r.calibration, r.side FROM runs r",
      time);
  sql << fmt::format(
      "CREATE VIEW case_states AS SELECT {} AS time, c.run, r.suite, r.revision, r.branch, r.machine_class, "
      "r.device_uuid, c.id AS case_id, c.device, c.needed, c.measured, c.failures, c.digest, c.told_verdict "
      "AS "
      "verdict, c.told_waived AS waived, r.side, c.verdict AS history_verdict FROM cases c JOIN runs r ON "
      "r.id "
      "= c.run",
      time);
  sql << fmt::format(
      "CREATE VIEW result_values AS SELECT {} AS time, v.run, r.suite, r.revision, r.branch, "
      "r.machine_class, r.device_uuid, c.id AS case_id, c.device, v.process, v.metric, v.unit, v.direction, "
      "EXP(v.log_value) AS value, r.side FROM cases c JOIN process_values v ON v.run = c.run AND v.position "
      "= "
      "c.position JOIN runs r ON r.id = c.run",
      time);
  sql << fmt::format(
      "CREATE VIEW campaign_progress AS SELECT {} AS time, r.id AS campaign, COUNT(*) AS tasks, SUM(t.done) "
      "AS done, SUM(CASE WHEN t.done = 0 AND t.expires > {} THEN 1 ELSE 0 END) AS running, r.owner, "
      "r.repository, "
      "r.cancelled FROM campaigns r JOIN tasks t ON t.campaign = r.id AND (t.kind = 'judge' OR t.case_count "
      "> 0) GROUP BY r.id, r.created, r.owner, "
      "r.repository, r.cancelled",
      database.moment("r.created"), database.now());
}

}  // namespace harness
