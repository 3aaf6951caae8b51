// Compare parts: the comparison of two records whose cases come in parts, so that neither record is ever in
// memory as a whole. Its result is that of compare(). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/verdict/case_rows.h"

namespace harness {

class PartsComparison {
 public:
  // The records without their cases. `threads` as for compare().
  PartsComparison(Record baseline, Record current, Policy policy, unsigned threads = 0);
  PartsComparison(const PartsComparison&) = delete;
  PartsComparison& operator=(const PartsComparison&) = delete;
  ~PartsComparison() = default;

  // The next cases of both sides, in their order, each once. A case is judged as soon as both sides have it,
  // and kept no longer. False: compare() has to judge the whole records, because a verdict may need other
  // cases, too. Such are cases that were not measured, on several devices, of programs, with launches that
  // were read, with controls, declared looks, gates of metrics or processes that confirm.
  bool add(std::vector<CaseRecord> baseline, std::vector<CaseRecord> current);

  // After the last cases. std::nullopt where a side has none: compare() judges that.
  std::optional<Comparison> finish();

 private:
  // A case that the other side does not have so far.
  struct Waiting {
    std::size_t place = 0;  // in its record
    CaseRecord record;
  };
  using Waitings = std::unordered_map<std::string, Waiting>;
  // A case of both sides.
  struct Met {
    std::size_t place = 0;  // in the current record
    PairedCase pair;
  };
  struct Part {
    std::size_t place = 0;  // of its first case in the current record
    CaseRows rows;
  };

  [[nodiscard]] bool is_plain(const CaseRecord& one) const;
  bool begin(const std::vector<CaseRecord>& baseline, const std::vector<CaseRecord>& current);
  void judge(std::vector<Met> met);
  void judge_run(std::size_t place, const std::vector<PairedCase>& cases);

  Record baseline_, current_;
  Policy policy_;
  unsigned threads_;
  RecordSource baseline_source_ = {}, current_source_ = {};
  std::optional<ComparedRecords> records_ = {};  // from the first cases on
  Waitings before_ = {}, after_ = {};
  std::size_t baseline_cases_ = 0, current_cases_ = 0;
  std::size_t next_ = 0;          // place of the first current case whose rows are not in rows_
  CaseRows rows_ = {};            // in order
  std::vector<Part> later_ = {};  // rows of cases behind one that waits
};

}  // namespace harness
