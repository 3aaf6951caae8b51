// ResultWriter: puts results and their values into a store. Its statements are prepared once, so for many
// results of one transaction keep one. Lives no longer than that transaction; used inside store/ only.
#pragma once

#include <string>

#include "harness/base/result.h"
#include "harness/model/codec.h"
#include "harness/store/sql/database.h"
#include "harness/store/sql/stored_cases.h"
#include "harness/store/sql/values.h"

namespace harness {

class ResultWriter {
 public:
  explicit ResultWriter(Database& database);
  ResultWriter(const ResultWriter&) = delete;  // the statements keep references to the members
  ResultWriter& operator=(const ResultWriter&) = delete;
  ~ResultWriter() = default;

  // Adds a result to the record `id`, in place of one that is there of the same case and process.
  Status put(const std::string& id, const EncodedResult& encoded);

 private:
  const Database& database_;
  std::string id_, case_id_, outcome_, text_;
  int process_ = 0;
  soci::statement insert_;
  ValueWriter values_;
  CaseCounter counter_;
};

}  // namespace harness
