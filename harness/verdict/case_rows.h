// Case rows: from the cases of two records, pair by pair, to rows and to the evidence on which their verdicts
// will rest. What one case gives owes nothing to the others, so several threads may work on ranges of them at
// once: all that ranges share is ComparedRecords, which is only read. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/verdict/check/comparable.h"
#include "harness/verdict/decide/judge.h"
#include "harness/verdict/read/kernel_time.h"

namespace harness {

// What holds for all cases of two records. Keeps references to both, and to the policy's learned spreads.
struct ComparedRecords {
  // `words`: rows get their diagnostics, and not the verdict alone.
  ComparedRecords(const Record& before, const Record& after, const Policy& given, bool words);

  // What calibrations taught of the row, or null.
  [[nodiscard]] const LearnedSpread* spread_of(const ComparisonRow& row) const;

  const Record& baseline;
  const Record& current;
  const Policy policy;  // with the number of processes that this pairing needs
  const bool for_words;
  const std::optional<Pairing::Kind> pairing;
  const bool one_session;
  const std::string pairing_obstacle;
  const std::string estimator_obstacle;
  const EventPairCosts baseline_pairs;  // known where the rows get words
  const EventPairCosts current_pairs;

 private:
  std::unordered_map<std::string, const LearnedSpread*> learned_;  // by case and metric
};

// A case of both records, or of one: the other is null then.
struct PairedCase {
  const CaseRecord* before = nullptr;
  const CaseRecord* after = nullptr;
};
// All cases: those of the current side in its order, then those that only the baseline has.
std::vector<PairedCase> pair_cases(const Record& baseline, const Record& current);

// The sides of a row at each look, kept until it is known which one it shows.
struct LookReadings {
  std::size_t row = 0;
  const CaseRecord* before = nullptr;
  const CaseRecord* after = nullptr;
  std::vector<std::pair<SideReading, SideReading>> sides;  // as Evidence::looks
};

struct CaseRows {
  std::vector<ComparisonRow> rows;
  std::vector<Evidence> evidence;  // of those of `rows` that were tested
  std::vector<LookReadings> looks;
  std::map<std::string, MachineMatch> machines;  // by device kind; of those that a row asked about

  // Puts the rows of later cases behind these.
  void append(CaseRows later);
};
CaseRows rows_of(std::span<const PairedCase> cases, const ComparedRecords& records);

// Adds to the row what is odd about the sides that it shows.
void describe(ComparisonRow& row, const CaseRecord& before, const CaseRecord& after,
              const SideReading& baseline, const SideReading& current, const ComparedRecords& records);

}  // namespace harness
