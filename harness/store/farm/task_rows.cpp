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
  select.exchange(soci::into(row_.spent));
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
           "done, kind, processes_before, processes, avoids, gpus, spent, added) VALUES (:campaign, :number, "
           ":suite, "
           ":first, "
           ":cases, :results, '', 0, 0, 0, :kind, :before, :processes, :avoids, :gpus, :spent, {})",
           now),
       soci::use(campaign), soci::use(row.number), soci::use(row.suite), soci::use(row.first),
       soci::use(row.cases), soci::use(row.results), soci::use(kind), soci::use(row.processes_before),
       soci::use(row.processes), soci::use(row.avoids), soci::use(row.gpus), soci::use(row.spent));
  for (const FarmTask& task : tasks) {
    row = task;
    kind = name_of(task.kind);
    insert.execute(true);
  }
}

void join_next_tasks(soci::session& sql, const std::string& campaign, const std::string& is_free,
                     const std::string& locking, int most_cases, FarmTask& task) {
  const int before = task.cases;
  while (true) {
    const int next = task.first + task.cases;
    int number = 0, cases = 0, results = 0;
    sql << fmt::format(
        "SELECT number, case_count, results FROM tasks WHERE {} AND kind = 'measure' AND suite = :suite AND "
        "first_case = :next AND case_count > 0 AND processes_before = :before AND processes = :processes AND "
        "gpus = :gpus AND avoids = :avoids AND spent = 0 ORDER BY number LIMIT 1{}",
        is_free, locking),
        soci::use(campaign), soci::use(task.suite), soci::use(next), soci::use(task.processes_before),
        soci::use(task.processes), soci::use(task.gpus), soci::use(task.avoids), soci::into(number),
        soci::into(cases), soci::into(results);
    if (!sql.got_data() || task.cases + cases > most_cases) break;
    sql << "UPDATE tasks SET done = 1, case_count = 0, results = 0 WHERE campaign = :campaign AND number = "
           ":number",
        soci::use(campaign), soci::use(number);
    task.cases += cases;
    task.results += results;
  }
  if (task.cases == before) return;
  sql << "UPDATE tasks SET case_count = :cases, results = :results WHERE campaign = :campaign AND number = "
         ":number",
      soci::use(task.cases), soci::use(task.results), soci::use(campaign), soci::use(task.number);
}

void append_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::vector<FarmTask> tasks) {
  int last = 0;
  sql << "SELECT COALESCE(MAX(number), 0) FROM tasks WHERE campaign = :campaign", soci::use(campaign),
      soci::into(last);
  for (FarmTask& task : tasks) task.number = ++last;
  insert_tasks(sql, now, campaign, tasks);
}

namespace {

// A task to judge waits for all that come before it.
void judge_last(soci::session& sql, const std::string& campaign) {
  sql << "UPDATE tasks SET number = (SELECT MAX(one.number) + 1 FROM tasks one WHERE one.campaign = "
         "tasks.campaign) WHERE campaign = :campaign AND kind = 'judge' AND done = 0",
      soci::use(campaign);
}

}  // namespace

void append_done_part(soci::session& sql, const std::string& now, const MeasuredTask& part, int processes,
                      const FarmTask& rest) {
  FarmTask done = rest;
  done.processes_before = rest.processes_before - processes;
  done.processes = processes;
  done.results = 0;
  for (const MeasuredSide& side : part.sides) done.results += static_cast<int>(side.results.size());
  append_tasks(sql, now, part.campaign, {done});
  sql << "UPDATE tasks SET done = 1, taken = 1, holder = :holder, device = :device, seconds = :seconds WHERE "
         "campaign = :campaign AND number = (SELECT MAX(number) FROM tasks WHERE campaign = :of)",
      soci::use(part.holder), soci::use(part.device), soci::use(part.seconds), soci::use(part.campaign),
      soci::use(part.campaign);
  judge_last(sql, part.campaign);
}

void divide_task(soci::session& sql, const std::string& now, const std::string& campaign, int number,
                 Seconds spent, std::span<const FarmTask> parts) {
  if (parts.size() == 1) {
    sql << "UPDATE tasks SET spent = :spent WHERE campaign = :campaign AND number = :number AND spent < "
           "CAST(:less AS DOUBLE PRECISION)",
        soci::use(spent), soci::use(campaign), soci::use(number), soci::use(spent);
    return;
  }
  const FarmTask& first = parts.front();
  sql << "UPDATE tasks SET first_case = :first, case_count = :cases, results = :results WHERE campaign = "
         ":campaign AND number = :number",
      soci::use(first.first), soci::use(first.cases), soci::use(first.results), soci::use(campaign),
      soci::use(number);
  append_tasks(sql, now, campaign, {parts.begin() + 1, parts.end()});
  judge_last(sql, campaign);
}

}  // namespace harness
