// ResultWriter: puts results and their values into a store, many by few statements. Used inside store/ only,
// in a transaction.
#pragma once

#include <map>
#include <span>
#include <string>

#include "harness/base/result.h"
#include "harness/model/codec.h"
#include "harness/store/sql/database.h"

namespace harness {

class ResultWriter {
 public:
  explicit ResultWriter(Database& database) : database_(database) {}

  // Adds results to the record `id`, in place of those that are there of the same case and process.
  Status put(const std::string& id, std::span<const EncodedResult> results);
  Status put(const std::string& id, const EncodedResult& encoded) { return put(id, {&encoded, 1}); }

 private:
  // Where the case stands in the record; -1: it has no such case.
  int position_of(const std::string& id, const std::string& case_id);

  Database& database_;
  // The cases of the record that was written last, where many results were put.
  std::string known_run_;
  std::map<std::string, int> known_;
};

}  // namespace harness
