// The hashes of launches under the trace, with a driver of the test's own.
#include "harness/device/cuda/inject/argument_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace harness::inject {
namespace {

// The memory and the kernels of one process.
struct World {
  struct Memory {
    std::size_t bytes = 0;
    std::uint64_t id = 0;
  };
  std::map<std::uint64_t, Memory> memory;  // by begin
  std::vector<std::size_t> parameters{8, 8, 4};
  bool tells_parameters = true;
  int priority = 0;
  int questions = 0;  // about addresses
};
World world;

CUresult pointer_attributes(unsigned, CUpointer_attribute*, void** data, CUdeviceptr pointer) {
  ++world.questions;
  auto found = world.memory.upper_bound(pointer);
  if (found == world.memory.begin()) return CUDA_SUCCESS;
  --found;
  if (pointer >= found->first + found->second.bytes) return CUDA_SUCCESS;
  *static_cast<unsigned*>(data[0]) = CU_MEMORYTYPE_DEVICE;
  *static_cast<std::uint64_t*>(data[2]) = found->second.id;
  *static_cast<std::uint64_t*>(data[3]) = found->first;
  *static_cast<std::uint64_t*>(data[4]) = found->second.bytes;
  return CUDA_SUCCESS;
}

CUresult parameter(CUfunction, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (!world.tells_parameters) return CUDA_ERROR_NOT_SUPPORTED;
  if (index >= world.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = index * 8;
  *bytes = world.parameters[index];
  return CUDA_SUCCESS;
}

CUresult stream_priority(CUstream, int* value) {
  *value = world.priority;
  return CUDA_SUCCESS;
}

class Arguments : public testing::Test {
 protected:
  Arguments() {
    world = {};
    world.memory[0x7e1200000000] = {4096, 1};
    world.memory[0x7e3400000000] = {8192, 2};
    driver_.PointerGetAttributes = pointer_attributes;
    driver_.FuncGetParamInfo = parameter;
    driver_.StreamGetPriority = stream_priority;
    reader_.emplace(driver_);
  }

  std::uint64_t call(CUpti_CallbackId id, const void* params, CUpti_ApiCallbackSite site = CUPTI_API_ENTER) {
    CUpti_CallbackData data{};
    data.functionParams = params;
    data.callbackSite = site;
    const std::optional<ArgumentReader::Given> given = reader_->take(id, data);
    words_ = given ? given->words : std::vector<std::uint32_t>();
    return given ? given->hash : no_launch;
  }
  // The kernel is (float*, float*, int).
  std::uint64_t launch(std::uint64_t to, std::uint64_t from, int count) {
    std::array<void*, 3> values{&to, &from, &count};
    cuLaunchKernel_params params{};
    params.kernelParams = values.data();
    return call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params);
  }
  std::uint64_t launch_with(CUlaunchAttribute attribute) {
    std::uint64_t to = 1, from = 2;
    int count = 3;
    std::array<void*, 3> values{&to, &from, &count};
    CUlaunchConfig config{};
    config.attrs = &attribute;
    config.numAttrs = 1;
    cuLaunchKernelEx_params params{};
    params.config = &config;
    params.kernelParams = values.data();
    return call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &params);
  }
  // The same program in another process, where memory lies elsewhere.
  void start_elsewhere() {
    world.memory.clear();
    world.memory[0x7f5500000000] = {4096, 31};
    world.memory[0x7f5600000000] = {8192, 37};
    reader_.emplace(driver_);
  }

  static constexpr std::uint64_t no_launch = 42;
  cuda::Driver driver_;
  std::optional<ArgumentReader> reader_;
  std::vector<std::uint32_t> words_;  // of the last call
};

TEST_F(Arguments, AreTheSameAtOtherAddresses) {
  const std::uint64_t here = launch(0x7e1200000100, 0x7e3400000000, 16);
  const std::uint64_t again = launch(0x7e3400000000, 0x7e1200000000, 16);
  EXPECT_NE(here, 0U);
  start_elsewhere();
  EXPECT_EQ(launch(0x7f5500000100, 0x7f5600000000, 16), here);
  EXPECT_EQ(launch(0x7f5600000000, 0x7f5500000000, 16), again);
}

TEST_F(Arguments, DifferByEachOfThem) {
  const std::uint64_t one = launch(0x7e1200000000, 0x7e3400000000, 16);
  EXPECT_NE(launch(0x7e1200000000, 0x7e3400000000, 17), one) << "a number";
  EXPECT_NE(launch(0x7e1200000100, 0x7e3400000000, 16), one) << "an offset";
  EXPECT_NE(launch(0x7e3400000000, 0x7e3400000000, 16), one) << "an allocation";
  world.priority = -1;
  EXPECT_NE(launch(0x7e1200000000, 0x7e3400000000, 16), one) << "the stream's priority";
  EXPECT_EQ(launch(0x7e1200000000, 0x7e3400000000, 16), launch(0x7e1200000000, 0x7e3400000000, 16));
}

TEST_F(Arguments, OfAnotherSizeOfAnAllocationDiffer) {
  const std::uint64_t one = launch(0x7e1200000000, 0, 16);
  world.memory[0x7e1200000000].bytes = 8192;
  reader_.emplace(driver_);
  EXPECT_NE(launch(0x7e1200000000, 0, 16), one);
}

TEST_F(Arguments, CannotBeReadWhereNobodyTellsTheirSizes) {
  world.tells_parameters = false;
  EXPECT_EQ(launch(1, 2, 3), 0U);
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, nullptr), 0U);
}

TEST_F(Arguments, InOneBufferAreRead) {
  std::array<std::uint64_t, 2> values{0x7e1200000000, 5};
  std::size_t bytes = sizeof values;
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, values.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                             &bytes, CU_LAUNCH_PARAM_END};
  cuLaunchKernel_params params{};
  params.extra = extra.data();
  const std::uint64_t one = call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params);
  values[1] = 6;
  EXPECT_NE(call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params), one);
  EXPECT_NE(one, 0U);
}

TEST_F(Arguments, CountWithTheAttributesOfTheLaunch) {
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  const std::uint64_t one = launch_with(cluster);
  EXPECT_NE(one, 0U);
  cluster.value.clusterDim.x = 4;
  EXPECT_NE(launch_with(cluster), one);
  CUlaunchAttribute event{};
  event.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  EXPECT_EQ(launch_with(event), 0U) << "nothing tells which event it is";
}

TEST_F(Arguments, AtAnAddressThatWasFreedAreOfAnotherAllocation) {
  const std::uint64_t one = launch(0x7e1200000000, 0, 16);
  world.memory[0x7e1200000000].id = 3;
  EXPECT_EQ(launch(0x7e1200000000, 0, 16), one) << "nobody freed it";
  const cuMemFree_v2_params freed{0x7e1200000000};
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &freed), no_launch);
  EXPECT_NE(launch(0x7e1200000000, 0, 16), one);
}

TEST_F(Arguments, ThatAreAddressesOnlyLaterAreFound) {
  const std::uint64_t number = launch(0x7e9900000000, 0, 16);
  world.memory[0x7e9900000000] = {64, 9};
  EXPECT_EQ(launch(0x7e9900000000, 0, 16), number);
  const cuMemAlloc_v2_params got{nullptr, 64};
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &got, CUPTI_API_EXIT);
  EXPECT_NE(launch(0x7e9900000000, 0, 16), number);
}

TEST_F(Arguments, WithAddressesOfTheHostAreTheSame) {
  const int here = 1, there = 2;
  const std::uint64_t one = launch(reinterpret_cast<std::uint64_t>(&here), 0, 16);
  EXPECT_EQ(launch(reinterpret_cast<std::uint64_t>(&there), 0, 16), one);
}

TEST_F(Arguments, AskTheDriverOnceAboutEachAllocation) {
  for (int i = 0; i < 100; ++i) launch(0x7e1200000000 + 8 * i, std::uint64_t{1} << 40, i);
  EXPECT_EQ(world.questions, 2);
}

// As many as before, whatever the words are: an address is one word.
TEST_F(Arguments, HaveAHashOfEachWord) {
  const auto words = [this](std::uint64_t to, int count) {
    launch(to, 0x7e3400000000, count);
    return words_;
  };
  const std::vector<std::uint32_t> one = words(0x7e1200000000, 16), other = words(0x7e1200000000, 17);
  const std::vector<std::uint32_t> number = words(5, 16);
  ASSERT_EQ(one.size(), 7U) << "the priority, and each argument with its size";
  EXPECT_EQ(words(0x7e1200000000, 16), one);
  const auto differing = [&](const std::vector<std::uint32_t>& all) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < one.size() && all.size() == one.size(); ++i)
      if (all[i] != one[i]) places.push_back(i);
    return places;
  };
  EXPECT_EQ(differing(other), std::vector<std::size_t>{6});
  EXPECT_EQ(differing(number), std::vector<std::size_t>{2});
}

TEST_F(Arguments, AreHashedWhenTheLaunchBegins) {
  cuLaunchKernel_params params{};
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params, CUPTI_API_EXIT), no_launch);
}

}  // namespace
}  // namespace harness::inject
