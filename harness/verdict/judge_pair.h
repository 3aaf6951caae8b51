// Judge pair: one metric that both sides have of a case, from its samples to its row and to the evidence for
// the verdict. Pure.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "harness/verdict/compared_records.h"
#include "harness/verdict/decide/evidence.h"

namespace harness {

// A metric that both sides have of one case.
struct MetricPair {
  const CaseRecord& before;
  const CaseRecord& after;
  const Series& old;
  const Series& now;
  bool alone = false;  // of processes that hold one build each, of an A/B run whose others hold both
};

// The sides of a row at each look, kept until it is known which one it shows.
struct LookReadings {
  std::size_t row = 0;
  const CaseRecord* before = nullptr;
  const CaseRecord* after = nullptr;
  std::vector<std::pair<SideReading, SideReading>> sides;  // as Evidence::looks
};

// A row with what decides it later. CaseRows sets the indices in evidence and looks.
struct JudgedRow {
  ComparisonRow row;
  std::optional<Evidence> evidence;
  std::optional<LookReadings> looks;
  std::vector<CaseSpread> spreads;
};

// How a case stands to its proof; `looked`: somebody read the launches of a side.
struct CaseProof {
  bool looked = false;
  std::optional<ProofGap> gap = {};  // why the launches prove nothing
  bool by_files = false;             // it is what a program found in files that proves it, or would
  bool of_one_build = false;         // proves the case all the same, and metrics that no launches prove

  [[nodiscard]] bool proven() const { return looked && (!gap || of_one_build); }
};

CaseProof proof_of(const CaseRecord* before, const CaseRecord& after, const ComparedRecords& records);

// Tells the row whether its metric is proven, and why not.
void apply(const CaseProof& proof, ComparisonRow& row, const CaseRecord& record);

// Tells the row that it follows from the proof, whatever its metric is. `launches`: they would do without the
// build.
void set_proven(const CaseProof& proof, ComparisonRow& row, bool launches = true);

// A row about `series` of `record`, or about the case as a whole when `series` is null. `before`: the
// baseline's case, whose gate decides.
ComparisonRow row_for(const CaseRecord& record, const Series* series, const ComparedRecords& records,
                      const CaseRecord* before = nullptr);

void conclude(ComparisonRow& row, Verdict verdict, Reason reason);

// With the processes that measured a regression again, if there are any.
JudgedRow judge_pair(const MetricPair& pair, const CaseProof& proof, const ComparedRecords& records,
                     SideReader& reader);

}  // namespace harness
