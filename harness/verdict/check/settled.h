// Cases whose outcomes on the two sides say everything: no sample of theirs is looked at. Pure.
#pragma once

#include <optional>
#include <string>

#include "harness/model/comparison.h"
#include "harness/model/record.h"

namespace harness {

struct Settled {
  Verdict verdict = Verdict::missing;
  std::string reason;
  std::string advice = {};  // "" for none
  Remedy remedy = Remedy::as_advised;
};

// What is to be said of the case as a whole; std::nullopt when its samples decide. `before` is null where
// the baseline has no such case.
std::optional<Settled> settled_without_samples(const CaseRecord* before, const CaseRecord& after);

}  // namespace harness
