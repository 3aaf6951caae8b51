// Workload: a problem, independent of how it is solved. It declares its parameters, tensors and the work of
// one call. It fills the inputs from a seed and computes the right answer. Variants (variant.h) solve it. The
// harness owns the buffers, poisons outputs before a check and compares them with reference() before and
// after timing.
//
// Called from one thread at a time. fill() and reference() may share work among threads (in_parts.h) if the
// result does not depend on their number. May throw Unsupported (params.h), which skips the case, or
// std::exception, which fails it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/sdk/fresh_pages.h"
#include "harness/sdk/metric.h"
#include "harness/sdk/params.h"

namespace harness::sdk {

enum class Role {
  input,
  output,
  // Read and changed by the call, such as the weights of an optimizer step. It counts as an input and as an
  // output, in the order of Problem::tensors. A check writes its first values, makes one call and compares.
  // Timed calls go on from what the calls before left, so its values must stay usable over many calls.
  in_place,
};
constexpr bool is_input(Role role) {
  return role != Role::output;
}
constexpr bool is_output(Role role) {
  return role != Role::input;
}

// As TensorSpec::gpu: memory of the host that stays where it is, so that GPUs read and write it, too.
inline constexpr int host_memory = -1;

struct TensorSpec {
  std::string name;
  Role role = Role::input;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  // row-major
  int gpu = 0;                      // in whose memory it lies, below Problem::gpus; or host_memory

  [[nodiscard]] std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_of(dtype, elements()); }
};

// The least work of one call: compulsory traffic, executed operations, and items as a user counts them
// ("tokens", "images", "rows"). Throughput and the share of the ceiling come from it; 0 claims nothing.
struct Work {
  double flops = 0;
  double bytes = 0;
  double items = 0;
  std::string item_name = {};  // plural; "" with items: "items"
  double link_bytes = 0;       // of several GPUs: that the busiest one must send to the others
};

// An output is right if ||out - ref|| / ||ref|| (Frobenius, over the checked elements) is at most `relative`.
// No single element may be off by a multiple that rounding cannot reach (measure/tensors/verify.h). A NaN or
// infinity where the reference has none is wrong. A variant with another numeric contract declares its own
// (Kernel::tolerance).
struct Tolerance {
  double relative = 1e-6;
};

// One workload at one set of parameters.
struct Problem {
  std::vector<TensorSpec> tensors;
  Work work;  // of all GPUs together
  Tolerance tolerance;
  int gpus = 1;  // that solve it together, on a CPU as threads
  // Elements of each output to check at most, where right answers are costly; 0: the harness chooses.
  std::int64_t most_checked = 0;
  // Neighbours in each output that are checked together: all their right answers cost as much as that of one.
  std::int64_t checked_together = 1;
};

using HostBytes = std::vector<std::byte, FreshPages<std::byte>>;

// A tensor in host memory, in its storage type. It begins as zeros.
struct HostTensor {
  explicit HostTensor(TensorSpec tensor) : spec(std::move(tensor)), data(spec.bytes()) {}
  [[nodiscard]] double at(std::int64_t index) const { return load(data.data(), spec.dtype, index); }
  void set(std::int64_t index, double value) { store(data.data(), spec.dtype, index, value); }

  TensorSpec spec;
  HostBytes data;
};

class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;
  [[nodiscard]] virtual std::vector<ParamSpec> params() const = 0;

  // Tensors, work and tolerance at `params` (complete and type-checked). Cheap: no buffers here.
  [[nodiscard]] virtual Problem problem(const Params& params) const = 0;

  // Fills the inputs and the tensors that are changed in place, in the order of problem().tensors. The
  // default draws every element uniformly from [-1, 1]: never zeros, which run up to 13 % faster on a GPU
  // than data does. An array keeps its size: write its elements, and do not replace `data`.
  virtual void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
    (void)params;
    std::mt19937_64 random(seed);
    for (HostTensor& input : inputs)
      for (std::int64_t i = 0; i < input.spec.elements(); ++i)
        input.set(i, static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
  }

  // The right value of elements `wanted` (flat, row-major) of output number `output`, computed in
  // double precision on the inputs as stored. expected.size() == wanted.size().
  virtual void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                         std::span<const std::int64_t> wanted, std::span<double> expected) const = 0;

  // Metrics of this workload, whichever variant solves it; the names that a suite may ask for besides
  // those of the harness.
  [[nodiscard]] virtual std::vector<MetricSpec> metrics() const { return {}; }

  // Reports what can be told from the outputs, as the checked call after timing left them. Called once
  // a process, never timed.
  virtual void report(const Params& params, std::span<const HostTensor> inputs,
                      std::span<const HostTensor> outputs, MetricSink& sink) const {
    (void)params;
    (void)inputs;
    (void)outputs;
    (void)sink;
  }
};

}  // namespace harness::sdk
