// Sensors: which machine this is and what state it is in. One thread of a worker process uses it.
#pragma once

#include <map>
#include <string>

#include "harness/base/result.h"
#include "harness/device/scope.h"
#include "harness/model/record.h"

namespace harness {

class Sensors {
 public:
  Sensors() = default;
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;
  virtual ~Sensors() = default;

  [[nodiscard]] virtual Machine fingerprint() = 0;  // without ceilings

  // Large copy (bytes/s, read + written) and large matrix product (FLOP/s) on this device: keys
  // "copy_bytes_per_s", "gemm_flops_per_s". Takes up to about a second.
  virtual Result<std::map<std::string, double>> measure_ceilings() = 0;

  // Bytes per second that GPUs send each other (link_ceiling), the slowest pair's; 0 where there is one GPU.
  virtual Result<double> measure_link() { return 0.0; }

  // Device clock in GHz measured by a short kernel, 0 when the device has no such measure.
  virtual double clock_ghz() { return 0; }

  // Tells what the device was like since this call: read at both ends, outside of what is timed, and combined
  // (conditions.h).
  [[nodiscard]] virtual Since<Conditions> watch_conditions() {
    return [] { return std::nullopt; };
  }
};

}  // namespace harness
