// Comparable: whether two sides may be compared at all, before any number is looked at: the machines,
// then how the case was sampled, then what the metric means. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/results/comparison.h"

namespace harness {

// Whether the fingerprints of one device kind allow a comparison of two records.
struct MachineMatch {
  std::optional<Obstacle> obstacle;
  bool other_device = false;                   // same model, another device, and the policy allows it
  std::vector<Difference> differences;         // of warn-class fields
  std::vector<Difference> information;         // of info-class fields
  std::vector<Difference> against_proof = {};  // of what both must share for a proof (proof.h)
  std::vector<std::string> uuids = {};         // of both devices, the baseline's first, where they differ
};
MachineMatch match_machines(const Record& baseline, const Record& current, const std::string& device,
                            const Policy& policy);

// Why two cases with the same identity, or their series of one metric, measure different things.
// More processes, or a longer time limit, is not a difference.
std::optional<Obstacle> sampling_obstacle(const CaseRecord& baseline, const CaseRecord& current);
// Parameters that the files of another tool tell have to agree.
std::optional<Obstacle> parameters_obstacle(const CaseRecord& baseline, const CaseRecord& current);

std::optional<Obstacle> series_obstacle(const Series& baseline, const Series& current);

// How the two records were measured together; std::nullopt when they are not the sides of one A/B run.
std::optional<Pairing::Kind> pairing_of(const Record& baseline, const Record& current);

// Whether both records name the same session. Sides on different devices share none.
bool share_session(const Record& baseline, const Record& current);

// A record that shared its processes with another build's compares with that one alone.
std::optional<Obstacle> pairing_obstacle(const Record& baseline, const Record& current);

// Both records name an estimator; values can only be recomputed with one that is known here.
std::optional<Obstacle> estimator_obstacle(const Record& baseline, const Record& current);

// Why this gate cannot be applied.
std::optional<Obstacle> gate_obstacle(double margin, double alpha);
// Why these looks cannot be applied. None at all is one look at everything.
std::optional<Obstacle> looks_obstacle(const std::vector<int>& looks);

}  // namespace harness
