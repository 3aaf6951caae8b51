// How far an output is off its workload's reference, in double precision, for tests of variants.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "harness/sdk/workload.h"

// ||out - ref|| / ||ref|| (Frobenius) over all elements of output number 0; NaN when any element is.
inline double relative_error(const harness::sdk::Workload& workload, const harness::sdk::Params& params,
                             std::span<const harness::sdk::HostTensor> inputs,
                             const harness::sdk::HostTensor& output) {
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(output.spec.elements()));
  std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<double> expected(wanted.size());
  workload.reference(params, inputs, 0, wanted, expected);
  double wrong = 0;
  double size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = output.at(wanted[i]) - expected[i];
    wrong += difference * difference;
    size += expected[i] * expected[i];
  }
  return std::sqrt(wrong / size);
}
