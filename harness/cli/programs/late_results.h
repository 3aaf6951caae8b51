// LateResults: results that a locked store could not take yet, in a file beside it. So measuring goes on, and
// a killed run loses none. One thread at a time.
#pragma once

#include <filesystem>
#include <string>

#include "harness/measure/schedule/run_options.h"
#include "harness/store/store.h"

namespace harness {

class LateResults {
 public:
  // The late results of the record `id`, with those of an earlier run of it that was killed.
  LateResults(Store& store, const std::string& id);

  [[nodiscard]] bool any() const { return any_; }
  Status keep(const EncodedResult& result);
  // Puts them into the store and removes the file. On an error they stay late.
  Status write();

 private:
  Store& store_;
  std::string id_;
  std::filesystem::path file_;
  bool any_ = false;
};

}  // namespace harness
