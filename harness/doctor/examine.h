// Examine: judges the facts that were read from a machine. Pure, so tests need no faulty machine.
#pragma once

#include <string>
#include <vector>

#include "harness/doctor/machine_facts.h"
#include "harness/model/results/examination.h"

namespace harness {

Examination examine(const MachineFacts& facts);

// The lowest ceilings of a healthy machine of a class; 0: unknown.
struct ExpectedCeilings {
  double copy_bytes_per_s = 0;
  double gemm_flops_per_s = 0;
};
ExpectedCeilings expected_ceilings(const std::string& machine_class);

}  // namespace harness
