// Case rows: turns the cases of two records, pair by pair, into rows and the evidence for their verdicts.
// Several threads may work on ranges of cases at once. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/verdict/judge_pair.h"

namespace harness {

// Every record holds first calls. They are compared where a gate names them.
bool is_compared(const Series& series, const CaseRecord& before, const CaseRecord& after);

// A case of both records, or of one: the other is null then.
struct PairedCase {
  const CaseRecord* before = nullptr;
  const CaseRecord* after = nullptr;
};
// All cases: those of the current side in its order, then those that only the baseline has. A kernel of a
// traced program may be paired with one of another name.
std::vector<PairedCase> pair_cases(const Record& baseline, const Record& current);

struct CaseRows {
  std::vector<ComparisonRow> rows;
  std::vector<Evidence> evidence;  // of those of `rows` that were tested
  std::vector<LookReadings> looks;
  std::vector<CaseSpread> spreads;  // of all cases that were measured on a side

  // Appends the rows of later cases.
  void append(CaseRows later);
};
// For the cases that both records have.
Proofs proofs_of(const Record& baseline, const Record& current);

// The proven cases that need samples all the same. A metric that launches do not prove has a gate of its own.
// The build does not prove it either, and the look at the current side, in `looked`, does not tell its value
// as the baseline does. `plan`: what the current side would measure.
std::set<std::string> gated_beyond_proof(const Proofs& proofs, const Record& baseline, const Record& looked,
                                         const Plan& plan);

CaseRows rows_of(std::span<const PairedCase> cases, const ComparedRecords& records);
// Appends the rows of the cases in their order, whatever the number of threads.
void append_rows(CaseRows& all, std::span<const PairedCase> cases, const ComparedRecords& records,
                 unsigned threads);

}  // namespace harness
