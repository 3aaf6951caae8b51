// The reader of the driver's functions: what it tells of each call.
#include "harness/device/cuda/profiling/calls/call_reader.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/device/cuda/profiling/calls/harmless_functions.h"
#include "read_calls.h"
#include "tests/model/fact_matchers.h"

namespace harness::cuda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST_F(ReadCalls, OfAKernelHoldsItsShapeArgumentsAndStream) {
  launch();
  const DriverCall seen = only();
  EXPECT_EQ(seen.kind, DriverCall::Kind::kernel);
  EXPECT_EQ(seen.name, "_Z4gemmPfi");
  EXPECT_EQ(seen.stream, 0x99U);
  EXPECT_EQ(seen.context, 0x5000U);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::int64_t>>{{"grid_x", 1},
                                                         {"grid_y", 2},
                                                         {"grid_z", 3},
                                                         {"block_x", 4},
                                                         {"block_y", 5},
                                                         {"block_z", 6},
                                                         {"dynamic_shared_bytes", 7},
                                                         {"stream_priority", -1},
                                                         {"stream_flags", 1},
                                                         {"function_4", 32},
                                                         {"function_1", 7},
                                                         {"argument_bytes", 8},
                                                         {"argument_bytes", 4}})
    EXPECT_THAT(seen.figures, Contains(Pair(name, value)));
  ASSERT_THAT(seen.words, SizeIs(2));
  EXPECT_EQ(seen.words[0].value, 0x7f0000001010U);
  EXPECT_EQ(seen.words[0].memory, Word::Memory::device);
  EXPECT_EQ(seen.words[0].allocation.begin, 0x7f0000001000U);
  EXPECT_EQ(seen.words[0].allocation.bytes, 4096U);
  EXPECT_EQ(seen.words[0].id, 0x7f0000001000U / 16);
  EXPECT_EQ(seen.words[1].value, 5U) << "and not what lies behind it";
  EXPECT_EQ(seen.words[1].memory, Word::Memory::none);
}

TEST_F(ReadCalls, OfACapturedKernelLeaveTheCaptureAlone) {
  world.capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  launch();
  EXPECT_EQ(world.capture, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(only().stream, 0x99U);
}

TEST_F(ReadCalls, OfAKernelByItsLibraryHandleAreTheSame) {
  launch();
  const DriverCall by_function = only();
  recorder_.begin_case();
  world.is_kernel = true;
  launch();
  const DriverCall by_kernel = only();
  EXPECT_EQ(by_kernel.figures, by_function.figures);
  EXPECT_THAT(by_function.modules, ElementsAre(0x3000, 0));
  EXPECT_THAT(by_kernel.modules, ElementsAre(0x3000, 0x4000));
  EXPECT_THAT(by_kernel.words, SizeIs(2));
  recorder_.begin_case();
  world.finds_function = false;
  launch();
  EXPECT_THAT(only().words, SizeIs(2)) << "the handle itself tells where they lie";
}

TEST_F(ReadCalls, OfAKernelWithOneBufferOfArgumentsAreRead) {
  struct {
    std::uint64_t pointer = 0x7f0000001000;
    std::int32_t count = 9;
  } arguments;
  std::size_t bytes = 12;
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                             CU_LAUNCH_PARAM_END};
  const cuLaunchKernel_params params{function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra.data()};
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", &params, "k");
  const DriverCall seen = only();
  ASSERT_THAT(seen.words, SizeIs(2));
  EXPECT_EQ(seen.words[0].memory, Word::Memory::device);
  EXPECT_EQ(seen.words[1].value, 9U);
}

TEST_F(ReadCalls, OfAKernelWhoseArgumentsCannotBeReadAreAGap) {
  world.tells_parameters = false;
  launch();
  EXPECT_THAT(gap(), FactIs(CauseCode::arguments_unread, {{"kernel", "gemm(float*, int)"}}));
}

TEST_F(ReadCalls, OfAKernelHoldItsAttributes) {
  std::vector<CUlaunchAttribute> attributes(4);
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {2, 3, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[1].value.programmaticStreamSerializationAllowed = 1;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[2].value.priority = -5;
  attributes[3].id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  attributes[3].value.accessPolicyWindow = {reinterpret_cast<void*>(0x7f0000001000), 64, 0.5F,
                                            CU_ACCESS_PROPERTY_PERSISTING, CU_ACCESS_PROPERTY_STREAMING};
  launch_with(attributes);
  const DriverCall seen = only();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::int64_t>>{{"grid_x", 8},
                                                         {"cluster_x", 2},
                                                         {"cluster_y", 3},
                                                         {"cluster_z", 1},
                                                         {"priority", -5},
                                                         {"programmatic_serialization", 1},
                                                         {"window_bytes", 64},
                                                         {"window_hit", 2},
                                                         {"window_miss", 1}})
    EXPECT_THAT(seen.figures, Contains(Pair(name, value)));
  EXPECT_THAT(seen.words, SizeIs(1));
}

TEST_F(ReadCalls, OfAKernelWithAnAttributeThatIsNotKnownAreAGap) {
  std::vector<CUlaunchAttribute> attributes(1);
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  launch_with(attributes);
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuLaunchKernelEx"}}));
}

TEST_F(ReadCalls, OfACooperativeKernelSayThatItIsOne) {
  world.parameters.clear();
  const cuLaunchCooperativeKernel_params params{function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr};
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", &params, "k");
  EXPECT_THAT(only().figures, Contains(Pair(std::string("cooperative"), 1)));
}

TEST_F(ReadCalls, OfACopyHoldTheContentThatComesFromTheHost) {
  std::string table = "weights";
  cuMemcpyHtoDAsync_v2_params params{0x7f0000001020, table.data(), table.size(),
                                     reinterpret_cast<CUstream>(0x99)};
  const auto upload = [&] {
    recorder_.begin_case();
    call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2", &params);
    return only();
  };
  const DriverCall first = upload();
  EXPECT_EQ(first.kind, DriverCall::Kind::copy);
  EXPECT_EQ(first.stream, 0x99U);
  EXPECT_THAT(first.figures, ElementsAre(Pair(std::string("bytes"), 7)));
  EXPECT_THAT(first.words, SizeIs(1));
  EXPECT_THAT(first.content, SizeIs(32));
  table[3] = 'x';
  EXPECT_NE(upload().content, first.content);
  params.ByteCount = 0;
  recorder_.begin_case();
  call(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2", &params);
  EXPECT_THAT(recorder_.history().before, IsEmpty()) << "nothing is copied";
}

TEST_F(ReadCalls, OfACopyWithoutADirectionAreToldApartByTheirAddresses) {
  world.memory[0x7f0000008000] = {64, CU_MEMORYTYPE_HOST};
  const std::string host = "0123456789abcdef";
  const auto address = reinterpret_cast<CUdeviceptr>(host.data());
  const auto kind = [&](CUdeviceptr to, CUdeviceptr from) {
    recorder_.begin_case();
    const cuMemcpy_params params{to, from, 8};
    call(CUPTI_DRIVER_TRACE_CBID_cuMemcpy, "cuMemcpy", &params);
    const DriverCall seen = only();
    return std::pair(seen.kind, seen.content.empty());
  };
  EXPECT_EQ(kind(0x7f0000001000, address), std::pair(DriverCall::Kind::copy, false));
  EXPECT_EQ(kind(address, 0x7f0000001000), std::pair(DriverCall::Kind::fetch, true));
  EXPECT_EQ(kind(0x7f0000008000, 0x7f0000001000), std::pair(DriverCall::Kind::fetch, true));
  EXPECT_EQ(kind(0x7f0000001000, 0x7f0000001800), std::pair(DriverCall::Kind::copy, true));
}

TEST_F(ReadCalls, OfAFillHoldItsValueAndCount) {
  const cuMemsetD32Async_params params{0x7f0000001000, 0xABCD, 100, reinterpret_cast<CUstream>(0x99)};
  call(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, "cuMemsetD32Async", &params);
  const DriverCall seen = only();
  EXPECT_EQ(seen.kind, DriverCall::Kind::fill);
  EXPECT_THAT(seen.figures, ElementsAre(Pair(std::string("value"), 0xABCD), Pair(std::string("count"), 100)));
  EXPECT_EQ(seen.stream, 0x99U);
}

TEST_F(ReadCalls, OfEventsHoldStreamAndEvent) {
  const cuEventRecord_params record{reinterpret_cast<CUevent>(0x77), reinterpret_cast<CUstream>(0x99)};
  call(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord", &record);
  const cuStreamWaitEvent_params wait{reinterpret_cast<CUstream>(0x98), reinterpret_cast<CUevent>(0x77), 0};
  call(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, "cuStreamWaitEvent", &wait);
  const std::vector<DriverCall> seen = recorder_.history().before;
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[0].event, 0x77U);
  EXPECT_EQ(seen[0].stream, 0x99U);
  EXPECT_EQ(seen[1].event, 0x77U);
  EXPECT_EQ(seen[1].stream, 0x98U);
}

TEST_F(ReadCalls, OfAnAllocationAreTheCasesOwn) {
  CUdeviceptr got = 0;
  const cuMemAlloc_v2_params params{&got, 64};
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2", &params, nullptr, [&] {
    got = 0x7f0000010000;
    world.memory[got] = {64, CU_MEMORYTYPE_DEVICE};
  });
  EXPECT_THAT(recorder_.history().own, ElementsAre(0x7f0000010000U / 16));
  EXPECT_EQ(only().kind, DriverCall::Kind::order);
}

TEST_F(ReadCalls, OfALoadTellWhichModuleAnImageIsOf) {
  std::ifstream in(std::string(HARNESS_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/base.cubin", std::ios::binary);
  const std::string image(std::istreambuf_iterator<char>(in), {});
  CUmodule got = nullptr;
  const cuModuleLoadData_params params{&got, image.data()};
  call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, "cuModuleLoadData", &params, nullptr,
       [&] { got = reinterpret_cast<CUmodule>(0x3000); });
  book_.turn("another build");
  book_.digest();
  const std::array<std::uint64_t, 2> modules{0x3000, 0};
  EXPECT_THAT(book_.whole_hash(modules, "_Z3addPfPKfi"), SizeIs(32));
}

TEST_F(ReadCalls, OfMemoryTellWhoseItIs) {
  world.memory[0x7f0000008000] = {64, CU_MEMORYTYPE_HOST};
  world.memory[0x7f0000009000] = {64, 0};
  std::array<std::uint64_t, 4> values{0x7f0000008000, 0x7f0000009008, 0x7f000000a000, 17};
  world.parameters = {sizeof values};
  std::array<void*, 1> arguments{values.data()};
  const cuLaunchKernel_params params{function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments.data(), nullptr};
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", &params, "k");
  std::vector<Word::Memory> memory;
  for (const Word& word : only().words) memory.push_back(word.memory);
  EXPECT_THAT(memory,
              ElementsAre(Word::Memory::host, Word::Memory::managed, Word::Memory::none, Word::Memory::none));
}

TEST_F(ReadCalls, ThatAreNotKnownAreAGap) {
  call(CUPTI_DRIVER_TRACE_CBID_cuMemGetInfo_v2, "cuMemGetInfo_v2", nullptr);
  call(CUPTI_DRIVER_TRACE_CBID_cuEventCreate, "cuEventCreate", nullptr);
  EXPECT_THAT(recorder_.history().gaps, IsEmpty());
  call(CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2, "cuGraphAddKernelNode_v2", nullptr);
  call(CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, "cuLaunchHostFunc", nullptr);
  EXPECT_THAT(recorder_.history().gaps, SizeIs(2));
  EXPECT_THAT(gap(), FactIs(CauseCode::call_not_followed, {{"call", "cuGraphAddKernelNode_v2"}}));
}

TEST_F(ReadCalls, AreForgottenWhileNobodyFollowsTheCase) {
  unfollowed(CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, "cuLaunchHostFunc", nullptr);
  EXPECT_THAT(recorder_.history().gaps, IsEmpty());
}

TEST(HarmlessFunctions, AreKnownInAnyVersion) {
  for (const char* name :
       {"cuStreamCreate", "cuMemHostAlloc", "cuEventDestroy_v2", "cuOccupancyMaxActiveClusters",
        "cuStreamGetCtx_v2_ptsz", "cuLibraryLoadData", "cuUserObjectRetain", "cuCtxPopCurrent_v2"})
    EXPECT_TRUE(is_harmless(name)) << name;
  for (const char* name :
       {"cuGraphLaunch", "cuStreamBeginCapture_v2", "cuMemPrefetchAsync", "cuStreamSetAttribute",
        "cuTexObjectCreate", "cuMemMap", "cuStreamWriteValue32_v2", "cuMemcpy2D_v2"})
    EXPECT_FALSE(is_harmless(name)) << name;
}

}  // namespace
}  // namespace harness::cuda
