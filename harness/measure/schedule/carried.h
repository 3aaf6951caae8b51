// Carried: what one case leaves to the next in a process, so that preparing and checking stay short beside
// measuring. One thread uses it.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/units.h"
#include "harness/measure/tensors/host_outputs.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/model/plan.h"

namespace harness {

// When the device was last kept busy, its clock then, and the boost clock as far as it has shown.
class Warmth {
 public:
  // A reading of 0 or less tells nothing.
  void worked(Seconds now, double clock_ghz = 0) {
    last_ = now;
    if (!(clock_ghz > 0)) return;
    boost_ghz_ = std::max(boost_ghz_, std::min(clock_ghz, clock_ghz_));
    clock_ghz_ = clock_ghz;
  }
  // How long it has idled; absent where it has not worked yet.
  [[nodiscard]] std::optional<Seconds> idle(Seconds now) const {
    return last_ ? std::optional(now - *last_) : std::nullopt;
  }
  [[nodiscard]] double clock_ghz() const { return clock_ghz_; }
  // The highest clock that two readings in a row reached: a single one may err. 0 before the second.
  [[nodiscard]] double boost_ghz() const { return boost_ghz_; }

 private:
  std::optional<Seconds> last_;
  double clock_ghz_ = 0;
  double boost_ghz_ = 0;
};

struct Carried {
  InputCache inputs = InputCache();
  HostOutputs outputs = HostOutputs();  // as last downloaded
  Warmth warmth = {};
  std::optional<double> idle_watts = {};  // of the device, once a case asked for its energy
  std::uint64_t nonce = 0;                // of this process: audits draw from it (case/audit.h)
  int audit_draw = 0;                     // of the run: which processes are audited
  // The cases that this process measures after the one at hand, and whether it may make their inputs while
  // that one is sampled (case/prepare_case.h).
  std::span<const PlannedCase> next = {};
  bool works_ahead = false;
};

}  // namespace harness
