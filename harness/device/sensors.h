// Sensors: which machine this is and what state it is in. One thread of a worker process uses it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/device/energy.h"
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

  // Other processes that use the device now, as Conditions counts them. std::nullopt where that is not known.
  [[nodiscard]] virtual std::optional<int> other_processes() { return std::nullopt; }

  // Reads the device's counter of energy again and again, beside the work that is queued meanwhile, until the
  // returned function is called. That tells what the counter did; std::nullopt where there is none.
  [[nodiscard]] virtual Since<EnergyLog> watch_energy() {
    return [] { return std::nullopt; };
  }

  // The power that the device keeps to by lowering its clock, in watts. std::nullopt where it is not known.
  [[nodiscard]] virtual std::optional<double> power_cap() { return std::nullopt; }
};

}  // namespace harness
