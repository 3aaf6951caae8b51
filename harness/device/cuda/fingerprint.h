// Fingerprint: the GPU, driver and toolkit that a record was measured with. The class of each field says what
// a difference means when two records are compared (model/record.h, FieldClass).
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <string_view>

#include "harness/device/host/nvml.h"
#include "harness/model/record.h"

namespace harness::cuda {

// The instrument that takes times.
struct Instrument {
  std::string gate;     // Gate::kind(), or why there is none
  std::string streams;  // Streams::kind()
};

// block: device, compute_capability, memory, ecc, mig.
// warn: driver, cuda_driver, cuda_runtime, cublas, nvcc, architectures, power_limit, persistence, gate,
// streams. info: vbios, multiprocessors, l2_cache, sm_clock_max, memory_clock, pci_bus, nvcc_flags. The
// fields of the host follow: host_state.h. A fact that cannot be read is left out.
Machine read_fingerprint(const cudaDeviceProp& properties, int ordinal, const Instrument& instrument,
                         const NvmlFacts& nvml);

// "0000:18:00.0", or "" when the runtime does not say.
std::string pci_bus_of(int ordinal);

}  // namespace harness::cuda
