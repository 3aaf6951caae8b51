// Values: the one value a process of each stored result, kept beside the raw samples so that a history of
// many thousand results is read without them. Written with the result, in its transaction. Used inside
// store/ only.
#pragma once

#include <soci/soci.h>

#include <string>

#include "harness/base/result.h"
#include "harness/model/record.h"
#include "harness/store/history.h"

namespace harness {

// A column is text without zero bytes, which neither database takes.
std::string column_text(std::string text);

// Replaces what the store holds of results' values, by statements that are prepared once.
class ValueWriter {
 public:
  explicit ValueWriter(soci::session& sql);
  ValueWriter(const ValueWriter&) = delete;  // the statements keep references to the members
  ValueWriter& operator=(const ValueWriter&) = delete;
  ~ValueWriter() = default;

  // The case must be among those of the record `id`.
  void put(const std::string& id, const ProcessResult& result);

 private:
  std::string id_, case_id_, metric_, unit_, direction_, estimator_;
  int process_ = 0;
  double value_ = 0;
  soci::indicator known_ = soci::i_ok;
  soci::statement remove_, insert_;
};

// The step from version 1 of the schema: a table of values, filled from the results that are there. A
// result that cannot be read gives none.
void add_values(soci::session& sql);

// Fills `series` with the values of the runs that `history` names.
void read_values(soci::session& sql, StoredHistory& history);

}  // namespace harness
