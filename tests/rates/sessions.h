// Sessions: the probe's samples, to draw random parts of. Samples are reduced once to what a rule reads of
// them, so that thousands of splits take minutes: a process's value stands for its samples as one sample, and
// compare() sees the same values. Read-only once made; any thread may draw.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "harness/model/record.h"

namespace harness {

// Ends the program, with the error on standard error and status 2, when the file holds no record.
Record load_record(const std::string& file);

// The part of the samples that is kept.
enum class Detail {
  samples,     // all
  placements,  // one value a placement, as pairs within a process are taken (stats/hypothesis/paired.h)
  values,      // one value a process
};

// A case to take, and its name in the record.
using Wanted = std::vector<std::pair<std::string, std::string>>;

// Processes that the probe ran one after the other on one device. A case may be missing in some of them.
class Session {
 public:
  explicit Session(Record record);

  // The cases, in the probe's order, that every process has.
  [[nodiscard]] const std::vector<std::string>& cases() const { return cases_; }
  [[nodiscard]] std::size_t processes() const { return processes_; }
  [[nodiscard]] std::size_t placements() const { return placements_; }
  [[nodiscard]] bool has(const std::string& id) const;
  [[nodiscard]] const Record& record() const { return records_.at(Detail::samples); }

  // A record of the processes at `chosen`, numbered anew; of all their placements or of those at
  // `placements`.
  [[nodiscard]] Record part(const std::vector<std::size_t>& chosen, const Wanted& wanted, Detail detail,
                            const std::vector<std::size_t>& placements = {}) const;

 private:
  std::map<Detail, Record> records_;
  std::vector<std::string> cases_;
  std::size_t processes_ = 0, placements_ = 0;
};

// `count` numbers in a random order.
std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random);

// `count` of them from the place `from` on.
std::vector<std::size_t> slice(const std::vector<std::size_t>& all, std::size_t from, std::size_t count);

}  // namespace harness
