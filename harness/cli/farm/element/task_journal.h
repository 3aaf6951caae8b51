// TaskJournal: tasks that a store could not take, in files on local disk until it can. An element that is
// killed leaves its file to the next one with the same folder. One thread uses it.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.h"
#include "harness/store/farm/farm_store.h"

namespace harness {

class TaskJournal {
 public:
  TaskJournal(std::filesystem::path folder, std::string campaign)
      : folder_(std::move(folder)), campaign_(std::move(campaign)) {}

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // Writes the task to a file, whole or not at all.
  Status keep(const MeasuredTask& task) const;
  // Sends all tasks of the campaign that lie here. A file goes once the store has its task. Returns how many
  // were stored.
  Result<int> send(FarmStore& store) const;

 private:
  std::filesystem::path folder_;
  std::string campaign_;
};

}  // namespace harness
