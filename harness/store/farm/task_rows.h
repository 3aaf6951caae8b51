// Rows of the table `tasks`; used inside store/ only.
#pragma once

#include <soci/soci.h>

#include <span>
#include <string>
#include <vector>

#include "harness/store/farm/farm_task.h"

namespace harness {

// The columns of a task, for a SELECT.
inline constexpr const char* task_columns =
    "number, suite, first_case, case_count, results, holder, taken, kind, processes_before, processes, "
    "avoids, device, seconds, gpus, spent, done";

// Reads the values of `task_columns`.
class TaskReader {
 public:
  void bind(soci::statement& select);
  // The row that was fetched last.
  [[nodiscard]] FarmTask task() const;

 private:
  FarmTask row_;
  std::string kind_;
  int done_ = 0;
};

// `now`: the database's clock, in SQL.
void insert_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::span<const FarmTask> tasks);

// Adds free tasks of the next cases to a free one, up to so many cases. Their own rows are done and empty.
// `is_free`: in SQL; `locking`: what a SELECT of rows to change ends with.
void join_next_tasks(soci::session& sql, const std::string& campaign, const std::string& is_free,
                     const std::string& locking, int most_cases, FarmTask& task);

// Behind all others, whose numbers go on.
void append_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::vector<FarmTask> tasks);

// Adds the measured part of a task as one that is done. `rest`: the task without it.
void append_done_part(soci::session& sql, const std::string& now, const MeasuredTask& part, int processes,
                      const FarmTask& rest);

// Replaces a task that was measured in vain for so long by `parts` of it; the first one keeps its number. A
// task to judge comes behind them.
void divide_task(soci::session& sql, const std::string& now, const std::string& campaign, int number,
                 Seconds spent, std::span<const FarmTask> parts);

}  // namespace harness
