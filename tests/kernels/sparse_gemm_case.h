// A case of sparse_gemm in host memory, for tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/sparse_gemm/sparse_gemm.h"
#include "tests/kernels/relative_error.h"

void register_workload_sparse_gemm(harness::sdk::Registry&);
void register_variant_sparse_gemm_threads_dense(harness::sdk::Registry&);
void register_variant_sparse_gemm_threads_sparse(harness::sdk::Registry&);

// Tensors filled; the output is for a test to write.
class FilledSparseGemm {
 public:
  FilledSparseGemm(const std::string& weights, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::uint64_t seed = 7)
      : params({{"weights", harness::sdk::Value{weights}},
                {"m", harness::sdk::Value{m}},
                {"n", harness::sdk::Value{n}},
                {"k", harness::sdk::Value{k}}}),
        shape(sparse_gemm::shape_of(params)) {
    register_workload_sparse_gemm(registry);
    register_variant_sparse_gemm_threads_dense(registry);
    register_variant_sparse_gemm_threads_sparse(registry);
    problem = workload().problem(params);
    for (const auto& spec : problem.tensors) tensors.emplace_back(spec);
    workload().fill(params, seed, inputs());
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<harness::sdk::HostTensor> inputs() { return std::span(tensors).first(2); }
  [[nodiscard]] harness::sdk::HostTensor& output() { return tensors[sparse_gemm::y_index]; }
  [[nodiscard]] double error() { return relative_error(workload(), params, inputs(), output()); }

  harness::sdk::Registry registry;
  harness::sdk::Params params;
  sparse_gemm::Shape shape;
  harness::sdk::Problem problem;
  std::vector<harness::sdk::HostTensor> tensors;
};
