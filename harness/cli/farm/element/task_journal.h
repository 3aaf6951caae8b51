// TaskJournal: tasks that a store could not take, in files on local disk until it can, or in memory where the
// disk is full. An element that is killed leaves its file to the next one with the same folder. One thread
// uses it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/store/farm/farm_store.h"

namespace harness {

class TaskJournal {
 public:
  TaskJournal(std::filesystem::path folder, std::string campaign)
      : folder_(std::move(folder)), campaign_(std::move(campaign)) {}

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // An error where no task could be written here.
  [[nodiscard]] Status check() const;
  // Writes the task to a file, whole or not at all. An error: it could not, and the task is kept in memory.
  Status keep(const MeasuredTask& task);
  // Sends all tasks of the campaign that are kept. A file goes once the store has its task. A damaged
  // file is set aside as NAME.damaged. Returns how many were stored.
  Result<int> send(FarmStore& store);

 private:
  Result<int> send_memory(FarmStore& store);

  std::vector<MeasuredTask> memory_;
  std::filesystem::path folder_;
  std::string campaign_;
};

}  // namespace harness
