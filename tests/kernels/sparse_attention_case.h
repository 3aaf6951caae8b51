// A case of sparse_attention in host memory, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/sparse_attention/block_choice.h"
#include "tests/kernels/relative_error.h"

void register_workload_sparse_attention(harness::sdk::Registry&);
void register_variant_sparse_attention_plain(harness::sdk::Registry&);
void register_variant_sparse_attention_threads_blocks(harness::sdk::Registry&);

struct SparseAttentionCase {
  std::string pattern = "dense";
  std::int64_t sparsity = 0;
  std::int64_t s = 1;
  std::int64_t d = 64;
  std::int64_t b = 1;
  std::int64_t h = 1;
};

// Tensors filled and the output poisoned.
class FilledSparseAttention {
 public:
  explicit FilledSparseAttention(const SparseAttentionCase& one, std::uint64_t seed = 5)
      : params({{"b", harness::sdk::Value{one.b}},
                {"h", harness::sdk::Value{one.h}},
                {"s", harness::sdk::Value{one.s}},
                {"d", harness::sdk::Value{one.d}},
                {"pattern", harness::sdk::Value{one.pattern}},
                {"sparsity", harness::sdk::Value{one.sparsity}}}),
        shape(sparse_attention::shape_of(params)) {
    register_workload_sparse_attention(registry);
    register_variant_sparse_attention_plain(registry);
    register_variant_sparse_attention_threads_blocks(registry);
    problem = workload().problem(params);
    for (const auto& spec : problem.tensors) tensors.emplace_back(spec);
    inputs = tensors;
    inputs.erase(inputs.begin() + sparse_attention::o_index);
    workload().fill(params, seed, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      tensors[i < sparse_attention::o_index ? i : i + 1].data = inputs[i].data;
    poison();
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[sparse_attention::o_index]; }
  void poison() { std::fill(output().data.begin(), output().data.end(), std::byte{0xFF}); }
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs, output()); }

  // The lists of the case, by one thread.
  [[nodiscard]] std::vector<std::int32_t> kept() const {
    const void* const chosen =
        shape.pattern == sparse_attention::Pattern::learned ? inputs.back().data.data() : nullptr;
    return sparse_attention::kept_blocks(shape, inputs[0].data.data(), inputs[1].data.data(), chosen,
                                         [](std::int64_t count, const auto& work) {
                                           for (std::int64_t i = 0; i < count; ++i) work(i);
                                         });
  }

  // The error of a CPU variant.
  double run(std::size_t variant, int threads = 3) {
    harness::sdk::DeviceTraits traits;
    traits.multiprocessors = threads;
    const auto kernel = registry.variants[variant].make(params, problem, traits);
    std::vector<void*> addresses;
    for (harness::sdk::HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
    poison();
    kernel->bind({addresses, nullptr});
    kernel->run({});
    return error();
  }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  sparse_attention::Shape shape;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
  std::vector<harness::sdk::HostTensor> inputs;  // copies, without O
};

// Metrics as a workload reports them.
class ReportedMetrics final : public harness::sdk::MetricSink {
 public:
  void report(std::string_view name, double value) override { values[std::string(name)] = value; }
  std::map<std::string, double> values;
};
