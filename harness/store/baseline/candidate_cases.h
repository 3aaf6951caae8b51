// The cases of candidates, read from the store when they are asked for and then kept: states
// without samples for the choice, records for what was chosen.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/store/baseline/candidates.h"

namespace harness {

// A case of a candidate, by its place among them.
struct CaseAt {
  std::size_t candidate = 0;
  std::string id;
};

// After an error every answer is empty, and status() tells the error.
class CandidateCases {
 public:
  CandidateCases(Store& store, std::span<const Candidate> candidates)
      : store_(store), candidates_(candidates) {}

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] std::span<const Candidate> candidates() const { return candidates_; }

  // All but the cases.
  const Record& header(std::size_t candidate);
  // The cases that it planned, in their order.
  const std::vector<std::string>& planned(std::size_t candidate);
  // nullptr where the candidate did not plan the case.
  const StoredCase* find(std::size_t candidate, const std::string& id);
  // The nearest candidates whose case has this digest and samples, by the id of the case.
  std::map<std::string, std::vector<std::size_t>> alike(std::span<const CaseDigest> wanted);
  // A case with its samples, once load() has read it; nullptr when the candidate lacks it.
  const CaseRecord* record(const CaseAt& one) const;
  void load(std::span<const CaseAt> cases);

 private:
  struct Known {
    std::optional<Record> header;
    bool read = false;  // the states of all of its cases
    std::vector<std::string> order;
    std::unordered_map<std::string, StoredCase> states;
    std::map<std::string, CaseRecord> records;
  };

  template <class T>
  T taken(Result<T> result) {
    if (result) return std::move(*result);
    if (status_) status_ = fail(result.error());
    return {};
  }
  void read_states(std::size_t candidate);
  void read_column(const std::string& id);
  const std::unordered_map<std::string, std::size_t>& places();

  Store& store_;
  std::span<const Candidate> candidates_;
  Status status_;
  std::unordered_map<std::size_t, Known> known_;
  std::size_t whole_reads_ = 0;
  std::set<std::string> columns_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace harness
