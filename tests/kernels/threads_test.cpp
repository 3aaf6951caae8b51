// Inputs and right answers are the same bits on any number of threads, and those that earlier records were
// measured with.
#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>

#include "tests/kernels/attention_case.h"
#include "tests/kernels/linear_gelu_case.h"
#include "tests/kernels/matmul_case.h"
#include "tests/kernels/probe_case.h"
#include "tests/kernels/sparse_attention_case.h"

void register_workload_adamw(harness::sdk::Registry&);
void register_workload_compression(harness::sdk::Registry&);
void register_workload_quant_gemm(harness::sdk::Registry&);

namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Value;

// FNV-1a.
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3U;
  return hash;
}

struct Prepared {
  std::uint64_t inputs = 0;
  std::uint64_t answers = 0;
  bool operator==(const Prepared&) const = default;
};

struct Point {
  void (*register_workload)(harness::sdk::Registry&);
  Params params;
  std::int64_t answers;  // how many of its first and of its last elements
  std::uint64_t inputs;  // what they have been since there are records
};

Prepared prepare(const Point& point, const char* threads) {
  setenv("HARNESS_PREPARING_THREADS", threads, 1);
  harness::sdk::Registry registry;
  point.register_workload(registry);
  const harness::sdk::Workload& workload = *registry.workloads.front();
  const harness::sdk::Problem problem = workload.problem(point.params);
  std::vector<HostTensor> inputs;
  for (const auto& spec : problem.tensors)
    if (harness::sdk::is_input(spec.role)) inputs.emplace_back(spec);
  workload.fill(point.params, 42, inputs);
  const std::int64_t elements = problem.tensors.back().elements();
  const std::int64_t few = std::min(point.answers, elements / 2);
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(2 * few));
  std::iota(wanted.begin(), wanted.begin() + few, std::int64_t{0});
  std::iota(wanted.begin() + few, wanted.end(), elements - few);
  std::vector<double> expected(wanted.size());
  workload.reference(point.params, inputs, 0, wanted, expected);
  unsetenv("HARNESS_PREPARING_THREADS");
  Prepared made;
  for (const HostTensor& input : inputs)
    made.inputs = made.inputs * 31 + hash_of(input.data.data(), input.data.size());
  made.answers = hash_of(expected.data(), expected.size() * sizeof(double));
  return made;
}

Value whole(std::int64_t value) {
  return Value{value};
}

Params quant_gemm_params(const std::string& weights, const std::string& quantise) {
  return Params({{"weights", Value{weights}},
                 {"m", whole(301)},
                 {"n", whole(1100)},
                 {"k", whole(900)},
                 {"quantise", Value{quantise}}});
}

std::vector<Point> points() {
  return {
      {&register_workload_probe_copy, Params({{"n", whole(1'500'001)}}), 1000, 0x1C8E57DB38D6B7BDU},
      {&register_workload_probe_gelu,
       Params({{"dtype", Value{std::string("f16")}}, {"n", whole(700'001)}, {"factor", Value{1.0}}}), 100'000,
       0x56452789BFCAD52FU},
      {&register_workload_probe_gemm, Params({{"dtype", Value{std::string("f16")}}, {"n", whole(700)}}), 4000,
       0x7DE1194D6E09A203U},
      {&register_workload_linear_gelu, linear_gelu_params("bf16", 300, 1100, 900), 4000, 0x2E200BB25BFE41C5U},
      {&register_workload_matmul, matmul_params("f32", 600, 500, 1000), 4000, 0xAF6EE851B39D86F4U},
      {&register_workload_attention, attention_params("f16", {3, 5, 200, 64}, true), 5000,
       0x14739CB52E18660DU},
      {&register_workload_sparse_attention,
       FilledSparseAttention({.pattern = "threshold", .sparsity = 75, .s = 1500, .h = 2}).params, 5000,
       0x1EFAF72A78425529U},
      {&register_workload_quant_gemm, quant_gemm_params("e4m3", "outside"), 4000, 0xB88D73C1068EC810U},
      {&register_workload_quant_gemm, quant_gemm_params("e4m3_block", "outside"), 4000, 0xA266FAD04EA357D0U},
      {&register_workload_quant_gemm, quant_gemm_params("i8", "outside"), 4000, 0x22D0C154DED1E534U},
      {&register_workload_quant_gemm, quant_gemm_params("i4", "inside"), 4000, 0xB4495A79439D5BF3U},
      {&register_workload_adamw, Params({{"n", whole(1'500'001)}}), 100'000, 0xF9B6184B5961CD6DU},
      {&register_workload_compression,
       Params({{"form", Value{std::string("top_1")}}, {"n", whole(1'500'001)}}), 100'000,
       0xC43EBB57A02EBF8AU},
      {&register_workload_compression,
       Params({{"form", Value{std::string("int8")}}, {"n", whole(1'500'001)}}), 100'000, 0xC43EBB57A02EBF8AU},
  };
}

TEST(Preparing, GivesTheSameBitsOnAnyNumberOfThreadsAndInputsOfEarlierRecords) {
  for (const Point& point : points()) {
    const Prepared alone = prepare(point, "1");
    EXPECT_EQ(alone.inputs, point.inputs) << point.params.text_id();
    for (const char* threads : {"2", "3", "16"})
      EXPECT_EQ(prepare(point, threads), alone) << point.params.text_id() << " on " << threads;
  }
}

}  // namespace
