// Eligible: for each case the candidate that may judge a run, the nearest that was judged and did not
// regress. README.md of store/ has the rules.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/store/baseline/candidate_cases.h"
#include "harness/store/selected.h"

namespace harness {

// The machines that a baseline must have been measured on, by kind of device; and by which estimator.
struct Bench {
  std::map<std::string, Machine> machines;
  std::string estimator;
};

// Where the baseline of a case comes from.
struct Eligible {
  std::optional<std::size_t> measured;   // the nearest candidate with samples of it
  std::optional<std::size_t> looked_at;  // a nearer one that was proven identical and so took no samples
};

// Records that were left out for some case.
struct PassedOver {
  std::set<std::string> records;  // ids
  bool regressed = false, failed = false, undecided = false, incomplete = false;

  void tell(Fact<SourceCode>& found) const;
  // "; 2 records were passed over: they regressed or failed".
  [[nodiscard]] std::string text() const;
};

class EligibleCases {
 public:
  EligibleCases(CandidateCases& cases, const Candidates& candidates, const Bench& bench, const Passes& passes)
      : cases_(cases), candidates_(candidates), bench_(bench), passes_(passes) {}

  // By case. A case that no candidate can judge has no entry.
  std::map<std::string, Eligible> find();

  // The cases that the history of this bench has, in the order of their suite: those of the nearest whole
  // run, and what nearer partial ones add.
  [[nodiscard]] const std::vector<std::string>& planned() const { return planned_; }
  // The candidate whose plan that is.
  [[nodiscard]] std::optional<std::size_t> plan() const { return plan_; }
  [[nodiscard]] const PassedOver& passed_over() const { return passed_over_; }

 private:
  void read_plan();
  bool on_bench(std::size_t candidate, const std::string& kind);
  // Complete, or proven identical; `tell`: else the candidate counts as passed over.
  const StoredCase* usable(std::size_t candidate, const std::string& id, bool tell = true);
  std::optional<Eligible> among(const std::string& id, std::size_t begin, std::size_t end);
  void pass_over(std::size_t candidate, bool PassedOver::*why);
  void judge_waiting(std::map<std::string, Eligible>& found);

  CandidateCases& cases_;
  const Candidates& candidates_;
  const Bench& bench_;
  const Passes& passes_;
  std::vector<std::string> planned_;
  std::optional<std::size_t> plan_;
  PassedOver passed_over_;
  std::map<std::size_t, std::set<std::string>> waiting_;  // never judged, by candidate
  std::map<std::pair<std::size_t, std::string>, bool> on_bench_;
};

// Whether two machines measure alike: class, device and every `block` field; with `exact` every `warn` field
// too.
bool measure_alike(const Machine& one, const Machine& other, bool exact);

}  // namespace harness
