// The operators on rows: CPU variants, and the CUDA kernel in the emulator, fused and separate, in all types.
// Rows are whole chunks or not, and threads have each possible number of chunks.
#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/operators/cpu_rows.h"
#include "kernels/operators/row_launch.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/relative_error.h"

void register_workload_layer_norm(harness::sdk::Registry&);
void register_workload_rms_norm(harness::sdk::Registry&);
void register_workload_softmax(harness::sdk::Registry&);
void register_workload_swiglu(harness::sdk::Registry&);

namespace operators {
namespace {

using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::Value;

emulate::Order order = emulate::Order::shuffled;

// Passes over rows in the emulator.
class EmulatedRows {
 public:
  explicit EmulatedRows(const harness::sdk::DeviceTraits&) {}
  template <class>
  static void require_possible(const Rows&) {}
  template <class Operation, int stage>
  void run(const RowArguments& arguments, DType dtype, harness::sdk::Stream) {
    with_row_launch<Operation, stage>(
        arguments, dtype, [&](auto* kernel, dim3 blocks, dim3 threads, const auto&... of_kernel) {
          emulate::launch({emulate::Landing::late, order, 3}, blocks, threads, 0, kernel, of_kernel...);
        });
  }
};

using Register = void (*)(harness::sdk::Registry&);
using Make = std::unique_ptr<harness::sdk::Kernel> (*)(const harness::sdk::Params&,
                                                       const harness::sdk::Problem&);

template <class Operation, Steps steps, class Engine>
std::unique_ptr<harness::sdk::Kernel> make(const harness::sdk::Params& params,
                                           const harness::sdk::Problem& problem) {
  harness::sdk::DeviceTraits traits;
  traits.multiprocessors = 3;
  return std::make_unique<RowVariant<Operation, steps, Engine>>(params, problem, traits);
}

struct Tried {
  const char* name;
  Register workload;
  Make make;
};
template <class Operation>
std::vector<Tried> tried(const char* name, Register workload) {
  return {{name, workload, &make<Operation, Steps::fused, CpuRows>},
          {name, workload, &make<Operation, Steps::separate, CpuRows>},
          {name, workload, &make<Operation, Steps::fused, EmulatedRows>},
          {name, workload, &make<Operation, Steps::separate, EmulatedRows>}};
}
std::vector<Tried> all() {
  std::vector<Tried> found;
  for (const auto& some : {tried<RmsNorm>("rms_norm", &register_workload_rms_norm),
                           tried<LayerNorm>("layer_norm", &register_workload_layer_norm),
                           tried<Softmax>("softmax", &register_workload_softmax),
                           tried<SwiGlu>("swiglu", &register_workload_swiglu)})
    found.insert(found.end(), some.begin(), some.end());
  return found;
}

// Runs a case on copies of its tensors with NaN around them, and returns the error.
double error_of(const Tried& one, const char* dtype, std::int64_t rows, std::int64_t columns,
                float shift = 0) {
  harness::sdk::Registry registry;
  one.workload(registry);
  const harness::sdk::Workload& workload = *registry.workloads.front();
  const harness::sdk::Params params(
      {{"dtype", Value{std::string(dtype)}}, {"rows", Value{rows}}, {"columns", Value{columns}}});
  const harness::sdk::Problem problem = workload.problem(params);
  std::vector<HostTensor> tensors;
  for (const harness::sdk::TensorSpec& tensor : problem.tensors) tensors.emplace_back(tensor);
  const std::span<HostTensor> inputs = std::span(tensors).first(tensors.size() - 1);
  workload.fill(params, 5, inputs);
  for (std::int64_t i = 0; shift != 0 && i < inputs[0].spec.elements(); ++i)
    inputs[0].set(i, inputs[0].at(i) + static_cast<double>(shift));

  const std::unique_ptr<harness::sdk::Kernel> kernel = one.make(params, problem);
  std::vector<std::unique_ptr<emulate::Memory>> memory;
  std::vector<void*> addresses;
  for (const HostTensor& tensor : tensors) {
    memory.push_back(std::make_unique<emulate::Memory>(tensor.spec.name, tensor.data.size()));
    addresses.push_back(memory.back()->data());
    if (&tensor != &tensors.back()) std::memcpy(addresses.back(), tensor.data.data(), tensor.data.size());
  }
  const emulate::Memory workspace("workspace", kernel->workspace_bytes());
  kernel->bind({addresses, workspace.data()});
  kernel->run({});
  std::memcpy(tensors.back().data.data(), addresses.back(), tensors.back().data.size());
  return relative_error(workload, params, inputs, tensors.back()) / problem.tolerance.relative;
}

using Shape = std::tuple<std::int64_t, std::int64_t>;
class OnRows : public testing::TestWithParam<std::tuple<const char*, Shape>> {};

TEST_P(OnRows, EachVariantAgreesWithTheOracle) {
  const auto [dtype, shape] = GetParam();
  const auto [rows, columns] = shape;
  for (const Tried& one : all())
    EXPECT_LE(error_of(one, dtype, rows, columns), 1)
        << one.name << " " << dtype << " " << rows << " x " << columns;
}

INSTANTIATE_TEST_SUITE_P(TypesAndTails, OnRows,
                         testing::Combine(testing::Values("f32", "f16", "bf16"),
                                          testing::Values(Shape{1, 1}, Shape{5, 1}, Shape{10, 3}, Shape{6, 7},
                                                          Shape{70, 40}, Shape{300, 41}, Shape{9, 256},
                                                          Shape{9, 35}, Shape{3, 1000}, Shape{9, 519},
                                                          Shape{50, 2049}, Shape{2, 4104}, Shape{1, 8200},
                                                          Shape{1, 16381}, Shape{3, 16384})));

TEST(Operators, NeitherOverflowNorCancelFarFromZero) {
  for (const Tried& one : all())
    EXPECT_LE(error_of(one, "f32", 3, 520, one.name == std::string("swiglu") ? 20.0F : 500.0F), 20)
        << one.name;
}

// Rows of a block meet in any order.
TEST(Operators, WarpsOfABlockMayRunAhead) {
  const std::vector<Tried> norms = tried<LayerNorm>("layer_norm", &register_workload_layer_norm);
  for (const emulate::Order unfair : {emulate::Order::first_warps, emulate::Order::last_warps}) {
    order = unfair;
    EXPECT_LE(error_of(norms[2], "f16", 50, 1104), 1);
  }
  order = emulate::Order::shuffled;
}

TEST(Operators, ABlockHasAFewRowsOrOne) {
  const auto plan = [](std::int64_t columns) { return row_plan(64, columns, 8); };
  const auto is = [](int threads, int rows, std::int64_t blocks) {
    return testing::AllOf(testing::Field(&RowPlan::threads, threads), testing::Field(&RowPlan::rows, rows),
                          testing::Field(&RowPlan::blocks, blocks));
  };
  EXPECT_THAT(plan(1), is(32, 8, 8));
  EXPECT_THAT(plan(1024), is(32, 8, 8));
  EXPECT_THAT(plan(2049), is(64, 4, 16));
  EXPECT_THAT(plan(16384), is(512, 1, 64));
  EXPECT_THAT(plan(32768), is(1024, 1, 64));
  EXPECT_THAT(plan(32775), is(1024, 1, 64));
  EXPECT_EQ(plan(32776).threads, 0) << "a thread has four chunks";
}

}  // namespace
}  // namespace operators
