// Tuned parameters: what `harness tune` found for a suite on a machine class. harness/cli/tune/README.md
// describes the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/summary.h"

namespace harness {

// The values that one case runs with, and the evidence: fresh processes of both, after the search.
struct TunedCase {
  std::string id;                    // of the tuned case: "gemm/wgmma/m=1000/tile=tuned"
  sdk::Params values;                // "tile=128x256"
  sdk::Params fixed;                 // the first value of each axis
  std::optional<double> ratio = {};  // time of `values` over that of `fixed`; none where they are the same
  std::optional<Interval> interval = {};
  int processes = 0;  // of each side
  int arms = 0;       // that were tried
  std::string device_uuid;
  Revision revision;
  std::string date;  // UTC
  std::string tool;  // "harness 0.1.0"

  bool operator==(const TunedCase&) const = default;
};

struct TunedSuite {
  std::string suite;
  std::string machine_class;
  std::vector<TunedCase> cases;  // by id

  bool operator==(const TunedSuite&) const = default;
};

// The entry of a case, or null.
const TunedCase* find_tuned(const TunedSuite& tuned, const std::string& id);

}  // namespace harness
