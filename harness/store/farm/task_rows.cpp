#include "harness/store/farm/task_rows.h"

#include <fmt/format.h>

namespace harness {

void TaskReader::bind(soci::statement& select) {
  for (int* column : {&row_.number, &row_.suite, &row_.first, &row_.cases, &row_.results})
    select.exchange(soci::into(*column));
  select.exchange(soci::into(row_.holder));
  select.exchange(soci::into(row_.taken));
  select.exchange(soci::into(kind_));
  select.exchange(soci::into(row_.processes_before));
  select.exchange(soci::into(row_.processes));
  select.exchange(soci::into(row_.avoids));
  select.exchange(soci::into(row_.device));
  select.exchange(soci::into(row_.seconds));
  select.exchange(soci::into(row_.gpus));
  select.exchange(soci::into(done_));
}

FarmTask TaskReader::task() const {
  FarmTask task = row_;
  task.kind = parse_name<TaskKind>(kind_).value_or(TaskKind::measure);
  task.done = done_ != 0;
  return task;
}

void insert_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::span<const FarmTask> tasks) {
  FarmTask row;
  std::string kind;
  soci::statement insert =
      (sql.prepare << fmt::format(
           "INSERT INTO tasks (campaign, number, suite, first_case, case_count, results, holder, taken, "
           "expires, "
           "done, kind, processes_before, processes, avoids, gpus, added) VALUES (:campaign, :number, "
           ":suite, "
           ":first, "
           ":cases, :results, '', 0, 0, 0, :kind, :before, :processes, :avoids, :gpus, {})",
           now),
       soci::use(campaign), soci::use(row.number), soci::use(row.suite), soci::use(row.first),
       soci::use(row.cases), soci::use(row.results), soci::use(kind), soci::use(row.processes_before),
       soci::use(row.processes), soci::use(row.avoids), soci::use(row.gpus));
  for (const FarmTask& task : tasks) {
    row = task;
    kind = name_of(task.kind);
    insert.execute(true);
  }
}

void append_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::vector<FarmTask> tasks) {
  int last = 0;
  sql << "SELECT COALESCE(MAX(number), 0) FROM tasks WHERE campaign = :campaign", soci::use(campaign),
      soci::into(last);
  for (FarmTask& task : tasks) task.number = ++last;
  insert_tasks(sql, now, campaign, tasks);
}

}  // namespace harness
