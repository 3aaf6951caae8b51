// Examine: judges what was read of a machine. Pure, so every judgement is tested without a machine that has
// the fault.
#pragma once

#include <string>
#include <vector>

#include "harness/doctor/machine_facts.h"
#include "harness/model/results/examination.h"

namespace harness {

Examination examine(const MachineFacts& facts);

// The least that a machine of a class reaches when it works as it should, 0 where nothing is known.
struct ExpectedCeilings {
  double copy_bytes_per_s = 0;
  double gemm_flops_per_s = 0;
};
ExpectedCeilings expected_ceilings(const std::string& machine_class);

}  // namespace harness
