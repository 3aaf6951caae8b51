// Compared records: what holds for all cases of two records. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/verdict/check/argument_words.h"
#include "harness/verdict/check/comparable.h"
#include "harness/verdict/decide/evidence.h"
#include "harness/verdict/place/elsewhere.h"
#include "harness/verdict/read/kernel_time.h"

namespace harness {

// Keeps references to both records. Several threads may read it at once.
struct ComparedRecords {
 private:
  const std::optional<Record> baseline_lies_;  // copies, where a record has more than that
  const std::optional<Record> current_lies_;

 public:
  // `wordy`: rows get their diagnostics, and not the verdict alone.
  ComparedRecords(const Record& before, const Record& after, const Policy& given, bool wordy);

  // The spread that calibrations found for the row, or null.
  [[nodiscard]] const LearnedSpread* spread_of(const ComparisonRow& row) const;

  // The variance between processes that the case's history tells, where it does.
  [[nodiscard]] std::optional<stats::VariancePrior> history_of(const ComparisonRow& row) const;

  // Both sides' machines for a kind of device that the current side measured on.
  [[nodiscard]] const MachineMatch& machine_of(const std::string& device) const {
    return machines.at(device);
  }

  // Why the steps of the traced program that the case is of must not be compared, or null.
  [[nodiscard]] const Obstacle* steps_obstacle(const CaseRecord& record) const;

  // How the argument words of that program compare, or null.
  [[nodiscard]] const WordMatch* words_of(const CaseRecord& record) const;

  // Variances of a side's log values between sessions, and between devices where another one is allowed.
  // The variance between sessions to assume where all starts of a side are of one file.
  [[nodiscard]] double file_session_variance(const ComparisonRow& row) const;
  [[nodiscard]] Design design_of(const ComparisonRow& row, const std::string& device) const;

  // As the code lies: without what was measured at other places of it.
  const Record& baseline;
  const Record& current;
  const Elsewhere baseline_elsewhere;
  const Elsewhere current_elsewhere;
  const Policy policy;  // with the number of processes that this pairing needs
  const bool for_words;
  const std::optional<Pairing::Kind> pairing;
  const bool one_session;
  const std::optional<Obstacle> pairing_obstacle;
  const std::optional<Obstacle> estimator_obstacle;
  const EventPairCosts baseline_pairs;  // known where the rows get words
  const EventPairCosts current_pairs;
  const std::map<std::string, MachineMatch> machines;  // by device kind
  const std::map<std::string, Obstacle> steps;         // by traced program; see step_obstacles()
  const std::map<std::string, WordMatch> words;        // likewise; see match_words()

 private:
  std::unordered_map<std::string, const LearnedSpread*> learned_;  // by case and metric
};

// The series of a metric, or null.
const Series* series_named(const CaseRecord& record, std::string_view metric);

}  // namespace harness
