// The workload allocator: parameters, stamps, and the bytes that are live at once.
#include <random>
#include <stdexcept>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/allocator/allocator.h"

namespace allocator {
namespace {

using harness::sdk::Better;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

class AllocatorWorkload final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "allocator"; }
  [[nodiscard]] std::string_view summary() const override {
    return "the allocations and frees of a transformer's training steps";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    const TraceShape usual;
    const auto number = [](const char* name, const char* summary, std::int64_t fallback) {
      return ParamSpec{name, ParamKind::integer, summary, {}, {Value{fallback}}, 1};
    };
    return {number("d", "width of the model", usual.d),
            number("heads", "heads of attention", usual.heads),
            number("layers", "layers", usual.layers),
            number("s", "tokens of the longest sequences", usual.sequence),
            number("batch", "sequences", usual.batch),
            number("vocabulary", "symbols", usual.vocabulary),
            number("steps", "training steps of a replay", usual.steps)};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"allocation_time", "ns", Better::lower,
             "host time of an allocation and its free, no kernels between", true},
            {"reserved_memory", "bytes", Better::lower, "the most that the allocator held at once"},
            {"live_memory", "bytes", Better::lower, "the most that was allocated at once"}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
  void report(const Params& params, std::span<const HostTensor>, std::span<const HostTensor>,
              harness::sdk::MetricSink& sink) const override {
    sink.report("live_memory", static_cast<double>(trace_of(shape_of(params)).most_live));
  }
};

// All stamps must be found exactly.
Problem AllocatorWorkload::problem(const Params& params) const {
  constexpr std::int64_t most_blocks = 1 << 20, device_bytes = 141'000'000'000;  // of an H200
  const TraceShape shape = shape_of(params);
  if (shape.layers > 1000 || shape.steps > 1000 || shape.layers * shape.steps * 40 > most_blocks)
    throw harness::sdk::Unsupported("more than a million blocks");
  const Trace trace = trace_of(shape);
  if (trace.most_live > device_bytes)
    throw harness::sdk::Unsupported("needs " + std::to_string(trace.most_live / 1'000'000'000) +
                                    " GB at once, and an H200 has 141 GB");
  const auto blocks = static_cast<std::int64_t>(trace.blocks());
  Problem problem;
  problem.tensors = {{"stamps", Role::input, DType::i32, {blocks}},
                     {"found", Role::output, DType::i32, {blocks}}};
  problem.work.items = static_cast<double>(blocks);
  problem.work.item_name = "allocations";
  problem.tolerance = {0};
  return problem;
}

// Different for each of 16,384 blocks in a row, and never 0 or negative.
void AllocatorWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  std::mt19937_64 random(seed);
  HostTensor& stamps = inputs[stamps_index];
  for (std::int64_t i = 0; i < stamps.spec.elements(); ++i) {
    const auto drawn = static_cast<std::int64_t>(random() & 0xFFFFU);
    stamps.set(i, static_cast<double>((std::int64_t{1} << 30U) | (drawn << 14U) | (i & 0x3FFF)));
  }
}

void AllocatorWorkload::reference(const Params&, std::span<const HostTensor> inputs, std::size_t output,
                                  std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("allocator has output 0");
  for (std::size_t e = 0; e < wanted.size(); ++e) expected[e] = inputs[stamps_index].at(wanted[e]);
}

}  // namespace
}  // namespace allocator

HARNESS_WORKLOAD(allocator, allocator::AllocatorWorkload)
