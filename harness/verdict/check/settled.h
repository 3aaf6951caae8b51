// Cases whose outcomes on the two sides decide the row: their samples are not looked at. Pure.
#pragma once

#include <optional>

#include "harness/model/results/comparison.h"

namespace harness {

struct Settled {
  Verdict verdict = Verdict::missing;
  Reason reason;
  std::optional<Cause> cause = {};  // why a side was not measured
};

// The verdict on the case as a whole; std::nullopt when its samples or a proof decide. `before`: null where
// the baseline lacks the case. `proven`: both sides do the same (proof.h), so a side needs no samples.
// `had_device`: the baseline measured on the case's kind of device.
std::optional<Settled> settled_without_samples(const CaseRecord* before, const CaseRecord& after,
                                               bool proven = false, bool had_device = true);

}  // namespace harness
