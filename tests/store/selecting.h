// A repository with a store in it, for the tests of what select.h chooses.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "harness/model/codec.h"
#include "harness/store/baselines.h"
#include "harness/store/select.h"
#include "repository.h"
#include "tests/model/example_record.h"

namespace harness {

// The example without its incorrect case: fit to be a baseline.
inline Record right_record() {
  Record record = example_record();
  record.cases.erase(record.cases.begin() + 1);
  record.cases[0].sampling.processes = 3;  // as many as there are
  return record;
}

class Selecting : public testing::Test {
 protected:
  Selecting() {
    options_.folder = repository_.path();
    options_.passes = [](const Record& /*baseline*/, const Record& current) {
      std::vector<CaseVerdict> all;
      for (const CaseRecord& one : current.cases) all.push_back({one.id});
      return all;
    };
    store_ = *Store::open(repository_.path() + "/.harness/results.db");
  }

  // Stores a right record of `commit`; its id.
  std::string measured(const std::string& commit, const std::string& device = "GPU-1234",
                       const std::function<void(Record&)>& change = {}) {
    Record record = right_record();
    record.id = "record " + std::to_string(++count_);
    record.revision = {commit, "", false};
    record.machines["cuda"].device_uuid = device;
    if (change) change(record);
    const Status put = store_->put_record(record);
    EXPECT_TRUE(put) << put.error().text();
    return record.id;
  }

  Selected current(const std::string& commit, const std::string& device = "GPU-1234") {
    return *select_stored(*store_, measured(commit, device));
  }

  Result<Selected> baseline(const std::string& name, const Selected& current) {
    return select_baseline(*store_, name, current, options_);
  }

  Repository repository_;
  std::unique_ptr<Store> store_;
  SelectOptions options_;
  int count_ = 0;
};

inline void dirty(Record& record) {
  record.revision.dirty = true;
}

}  // namespace harness
