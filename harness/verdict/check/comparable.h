// Comparable: whether two sides may be compared at all, before any number is looked at: the machines,
// then how the case was sampled, then what the metric means. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/model/comparison.h"

namespace harness {

// What the fingerprints of one device kind say about comparing two records.
struct MachineMatch {
  std::string obstacle;  // why the rows of this kind are not comparable, or ""
  std::string advice;
  bool other_device = false;             // same model, another device, and the policy allows it
  std::vector<std::string> differences;  // of warn-class fields: "driver: 580.1 -> 580.2"
  std::vector<std::string> information;  // of info-class fields, for whoever asks why
};
MachineMatch match_machines(const Record& baseline, const Record& current, const std::string& device,
                            const Policy& policy);

// Why two cases with the same identity, or their series of one metric, measure different things;
// "" when they may be compared. More processes, or a longer time limit, is not a difference.
std::string sampling_obstacle(const CaseRecord& baseline, const CaseRecord& current);
std::string series_obstacle(const Series& baseline, const Series& current);
// How the two records were measured together; std::nullopt when they are not the sides of one A/B run.
std::optional<Pairing::Kind> pairing_of(const Record& baseline, const Record& current);

// Whether both records say that they are of the same sitting. On other devices it was another one.
bool share_session(const Record& baseline, const Record& current);
// A record that shared its processes with another build's compares with that one alone.
std::string pairing_obstacle(const Record& baseline, const Record& current);
// Both records name an estimator; values can only be recomputed with one that is known here.
std::string estimator_obstacle(const Record& baseline, const Record& current);

}  // namespace harness
