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
    "avoids, device, seconds, gpus, done";

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

// Behind all others, whose numbers go on.
void append_tasks(soci::session& sql, const std::string& now, const std::string& campaign,
                  std::vector<FarmTask> tasks);

}  // namespace harness
