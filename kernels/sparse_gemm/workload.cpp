// The workload sparse_gemm: parameters, work, tolerance, inputs and the float64 oracle.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/sdk/in_parts.h"
#include "harness/sdk/registry.h"
#include "kernels/fill.h"
#include "kernels/product_work.h"
#include "kernels/sparse_gemm/sparse_gemm.h"

namespace sparse_gemm {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSink;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

namespace {

class SparseGemm final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "sparse_gemm"; }
  [[nodiscard]] std::string_view summary() const override {
    return "Y[m,n] = X[m,k] W[n,k]^T in f16, at most two of four neighbours of W not zero";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"weights",
             ParamKind::text,
             "stored W: dense with its zeros, or compressed for Tensor Cores",
             {"dense", "compressed"},
             {},
             1},
            {"m", ParamKind::integer, "rows of X and Y", {}, {}, 1},
            {"n", ParamKind::integer, "rows of W, columns of Y", {}, {}, 1},
            {"k", ParamKind::integer, "columns of X and W, a multiple of 4", {}, {}, 4}};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    std::vector<MetricSpec> specs = kernels::metrics_of_library();
    specs.insert(specs.begin(), {"weight_bytes", "bytes", harness::sdk::Better::lower,
                                 "W as it is stored, values and places"});
    return specs;
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
  void report(const Params&, std::span<const HostTensor> inputs, std::span<const HostTensor>,
              MetricSink& sink) const override {
    sink.report("weight_bytes", static_cast<double>(inputs[w_index].spec.bytes()));
  }
};

// Executed operations are half of those of a dense product, 2 m n k: products with the zeros are left out.
// Bytes: a compressed W has 9/16 of the bytes of a dense one, without the padding of its blocks.
Problem SparseGemm::problem(const Params& params) const {
  const Shape shape = shape_of(params);
  kernels::require_possible_extents({DType::f16, shape.m, shape.n, shape.k});
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  Problem problem;
  problem.tensors = {
      {"x", Role::input, DType::f16, {shape.m, shape.k}},
      {"w", Role::input, DType::f16, {shape.n, shape.k}},
      {"y", Role::output, DType::f16, {shape.m, shape.n}},
  };
  if (shape.compressed) {
    const CompressedExtents extents = shape.extents();
    problem.tensors[w_index] = {
        "w", Role::input, DType::i8, {extents.blocks_down(), extents.blocks_across(), block_bytes}};
  }
  problem.work = {m * n * k, 2 * (m * k + m * n) + n * k * (shape.compressed ? 9.0 / 8 : 2.0), m, "rows"};
  problem.tolerance = kernels::tolerance_of_f16_product(shape.m, shape.n);
  return problem;
}

// Sets the two smallest of each four neighbours to zero; of equal ones the later. Bits of halves without the
// sign are in the order of their magnitudes.
void prune(HostTensor& w) {
  auto* const bits = reinterpret_cast<std::uint16_t*>(w.data.data());
  harness::sdk::in_parts(w.spec.elements() / 4, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::uint16_t* group = bits + begin * 4; group < bits + end * 4; group += 4)
      for (int round = 0; round < 2; ++round) {
        int smallest = -1;
        for (int i = 0; i < 4; ++i)
          if ((group[i] & 0x7FFF) != 0 && (smallest < 0 || (group[i] & 0x7FFF) <= (group[smallest] & 0x7FFF)))
            smallest = i;
        if (smallest >= 0) group[smallest] = 0;
      }
  });
}

// X is uniform on (-1, 1). W is uniform and then pruned by magnitude, of a size with which elements of Y have
// variance 1: the two largest of four uniform magnitudes have squares 16/15 in the mean.
void SparseGemm::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const Shape shape = shape_of(params);
  kernels::fill_uniform(inputs[x_index], seed, 0, 1.0F);
  HostTensor dense({"w", Role::input, DType::f16, {shape.n, shape.k}});
  HostTensor& w = shape.compressed ? dense : inputs[w_index];
  kernels::fill_uniform(w, seed, 1, 3.35F / std::sqrt(static_cast<float>(shape.k)));
  prune(w);
  if (!shape.compressed) return;
  const CompressedExtents extents = shape.extents();
  std::byte* const to = inputs[w_index].data.data();
  clear_blocks(extents, to);
  harness::sdk::in_parts(extents.blocks_down(), 1, [&](std::int64_t first, std::int64_t last) {
    compress_rows(extents, w.data.data(), first * block_rows, std::min(last * block_rows, shape.n), to);
  });
}

void SparseGemm::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                           std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("sparse_gemm has one output, number 0");
  const Shape shape = shape_of(params);
  const HostTensor& x = inputs[x_index];
  const CompressedRows rows(shape.extents(), inputs[w_index].data.data());
  const auto element = [&](std::int64_t row, std::int64_t column) {
    double sum = 0;
    for (std::int64_t p = 0; p < shape.k; p += shape.compressed ? 4 : 1) {
      if (!shape.compressed) {
        sum += x.at(row * shape.k + p) * inputs[w_index].at(column * shape.k + p);
        continue;
      }
      const std::uint32_t places = rows.places(column, p);
      for (int which = 0; which < 2; ++which)
        sum += x.at(row * shape.k + p + static_cast<std::int64_t>(places >> (2 * which) & 3U)) *
               static_cast<double>(harness::sdk::float_from_f16(rows.value(column, p, which)));
    }
    return sum;
  };
  kernels::answer_product(shape.n, shape.k, wanted, expected, element);
}

}  // namespace
}  // namespace sparse_gemm

HARNESS_WORKLOAD(sparse_gemm, sparse_gemm::SparseGemm)
