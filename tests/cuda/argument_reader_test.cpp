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
    unsigned type = CU_MEMORYTYPE_DEVICE;
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
  *static_cast<unsigned*>(data[0]) = found->second.type;
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
    driver_.FuncGetAttribute = [](int*, CUfunction_attribute, CUfunction) { return CUDA_SUCCESS; };
    driver_.FuncGetModule = [](CUmodule*, CUfunction) { return CUDA_ERROR_NOT_SUPPORTED; };
    driver_.FuncGetName = [](const char**, CUfunction) { return CUDA_ERROR_NOT_SUPPORTED; };
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
  ASSERT_EQ(one.size(), 8U) << "the stream, its priority, and each argument with its size";
  EXPECT_EQ(words(0x7e1200000000, 16), one);
  const auto differing = [&](const std::vector<std::uint32_t>& all) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < one.size() && all.size() == one.size(); ++i)
      if (all[i] != one[i]) places.push_back(i);
    return places;
  };
  EXPECT_EQ(differing(other), std::vector<std::size_t>{7});
  EXPECT_EQ(differing(number), std::vector<std::size_t>{3});
}

TEST_F(Arguments, AreHashedWhenTheLaunchBegins) {
  cuLaunchKernel_params params{};
  EXPECT_EQ(call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &params, CUPTI_API_EXIT), no_launch);
}

TEST_F(Arguments, TellHowMuchMemoryTheHostShares) {
  EXPECT_EQ(reader_->shared_bytes(), 0U);
  launch(0x7e1200000000, 0x7e3400000000, 16);
  EXPECT_EQ(reader_->shared_bytes(), 0U) << "memory of the device";
  world.memory[0x7f1100000000] = {640, 9, CU_MEMORYTYPE_HOST};
  cuMemAllocManaged_params managed{};
  managed.bytesize = 100;
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &managed);
  call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &managed, CUPTI_API_EXIT);
  EXPECT_EQ(reader_->shared_bytes(), 100U);
  launch(0x7f1100000010, 0x7e3400000000, 16);
  launch(0x7f1100000020, 0x7e3400000000, 16);
  EXPECT_EQ(reader_->shared_bytes(), 740U) << "an allocation of the host counts once";
}

TEST_F(Arguments, CountWithTheStreamAndWhatItWaitsFor) {
  const auto stream = [](std::uint64_t handle) { return reinterpret_cast<CUstream>(handle); };
  const auto event = [](std::uint64_t handle) { return reinterpret_cast<CUevent>(handle); };
  const auto ordered = [&](CUpti_CallbackId id, const auto& params) {
    CUpti_CallbackData data{};
    data.functionParams = &params;
    data.callbackSite = CUPTI_API_ENTER;
    return reader_->take_order(id, data);
  };
  const auto record = [&](std::uint64_t one, std::uint64_t in) {
    return ordered(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, cuEventRecord_params{event(one), stream(in)});
  };
  const auto wait = [&](std::uint64_t in, std::uint64_t one) {
    return ordered(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent,
                   cuStreamWaitEvent_params{stream(in), event(one), 0});
  };
  const auto recorded = record(0x10, 0x1), other = record(0x20, 0x1), waited = wait(0x2, 0x10);
  ASSERT_TRUE(recorded && other && waited);
  EXPECT_NE(recorded, other) << "another event";
  EXPECT_NE(recorded, waited);
  EXPECT_NE(wait(0x2, 0x20), waited);
  EXPECT_NE(wait(0x3, 0x10), waited) << "another stream";
  EXPECT_EQ(record(0x10, 0x1), recorded);
  cuEventDestroy_v2_params gone{event(0x10)};
  EXPECT_FALSE(ordered(CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2, gone));
  EXPECT_NE(record(0x10, 0x1), recorded) << "a new event at its place";
  reader_.emplace(driver_);
  EXPECT_EQ(record(0x77, 0x5), recorded) << "in another process";
  EXPECT_FALSE(ordered(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, gone));
}

// A graph of two kernels and a fill, as the driver tells it.
struct Node {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  std::uint64_t to = 0;
  int count = 0;
  unsigned value = 0;  // of a fill
};
std::vector<Node> nodes;
std::vector<std::pair<std::size_t, std::size_t>> edges;

Node& node_of(CUgraphNode node) {
  return *reinterpret_cast<Node*>(node);
}

class Graphs : public Arguments {
 protected:
  Graphs() {
    nodes = {{.to = 0x7e1200000000, .count = 3},
             {.to = 0x7e3400000000, .count = 4},
             {.type = CU_GRAPH_NODE_TYPE_MEMSET, .to = 0x7e3400000000, .value = 7}};
    edges = {{0, 1}, {0, 2}};
    driver_.GraphGetNodes = [](CUgraph, CUgraphNode* found, std::size_t* count) {
      *count = nodes.size();
      for (std::size_t i = 0; found != nullptr && i < nodes.size(); ++i)
        found[i] = reinterpret_cast<CUgraphNode>(&nodes[i]);
      return CUDA_SUCCESS;
    };
    driver_.GraphGetEdges_v2 = [](CUgraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* how,
                                  std::size_t* count) {
      *count = edges.size();
      for (std::size_t i = 0; from != nullptr && i < edges.size(); ++i) {
        from[i] = reinterpret_cast<CUgraphNode>(&nodes[edges[i].first]);
        to[i] = reinterpret_cast<CUgraphNode>(&nodes[edges[i].second]);
        how[i] = {};
      }
      return CUDA_SUCCESS;
    };
    driver_.GraphNodeGetType = [](CUgraphNode node, CUgraphNodeType* type) {
      *type = node_of(node).type;
      return CUDA_SUCCESS;
    };
    driver_.GraphKernelNodeGetParams_v2 = [](CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2* kernel) {
      static std::uint64_t from = 0x7e1200000000;
      static std::map<CUgraphNode, std::array<void*, 3>> values;
      values[node] = {&node_of(node).to, &from, &node_of(node).count};
      kernel->func = reinterpret_cast<CUfunction>(0x30);
      kernel->gridDimX = 8;
      kernel->kernelParams = values[node].data();
      return CUDA_SUCCESS;
    };
    driver_.GraphKernelNodeGetAttribute = [](CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue*) {
      return CUDA_ERROR_INVALID_VALUE;
    };
    driver_.GraphMemsetNodeGetParams = [](CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* fill) {
      fill->dst = node_of(node).to;
      fill->value = node_of(node).value;
      return CUDA_SUCCESS;
    };
    reader_.emplace(driver_);
  }
  template <class Params>
  void ended(CUpti_CallbackId id, const Params& params, CUresult result = CUDA_SUCCESS) {
    CUpti_CallbackData data{};
    data.functionParams = &params;
    data.functionReturnValue = &result;
    data.callbackSite = CUPTI_API_EXIT;
    EXPECT_FALSE(reader_->take(id, data));
  }
  void instantiate(std::uint64_t handle = 1, unsigned long long flags = 0) {
    auto made = reinterpret_cast<CUgraphExec>(handle);
    ended(CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
          cuGraphInstantiateWithFlags_params{&made, nullptr, flags});
  }
  std::uint64_t launch_graph(std::uint64_t handle = 1) {
    const cuGraphLaunch_params params{reinterpret_cast<CUgraphExec>(handle), nullptr};
    return call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, &params);
  }
  std::uint64_t made_anew() {
    reader_.emplace(driver_);
    instantiate();
    return launch_graph();
  }
};

TEST_F(Graphs, CountWithTheirNodesAndEdges) {
  instantiate();
  const std::uint64_t one = launch_graph();
  EXPECT_NE(one, 0U);
  EXPECT_GT(words_.size(), 20U);
  EXPECT_EQ(launch_graph(), one);
  nodes[1].count = 5;
  EXPECT_EQ(launch_graph(), one) << "it was made executable before";
  const std::uint64_t argument = made_anew();
  EXPECT_NE(argument, one);
  nodes[2].value = 8;
  const std::uint64_t filled = made_anew();
  EXPECT_NE(filled, argument);
  edges.pop_back();
  EXPECT_NE(made_anew(), filled);
}

TEST_F(Graphs, AreTheSameAtOtherAddresses) {
  const std::uint64_t here = made_anew();
  start_elsewhere();
  world.memory.erase(0x7f5600000000);
  world.memory[0x7e1200000000] = {4096, 31};
  world.memory[0x7e3400000000] = {8192, 37};
  EXPECT_EQ(made_anew(), here);
}

TEST_F(Graphs, AreUnknownWhereANodeIs) {
  EXPECT_EQ(launch_graph(9), 0U) << "nobody saw how it was made";
  nodes[2].type = CU_GRAPH_NODE_TYPE_HOST;
  EXPECT_EQ(made_anew(), 0U);
  for (const CUgraphNodeType type : {CU_GRAPH_NODE_TYPE_CONDITIONAL, CU_GRAPH_NODE_TYPE_WAIT_EVENT}) {
    nodes[2].type = type;
    EXPECT_EQ(made_anew(), 0U);
  }
  nodes.pop_back();
  edges.pop_back();
  EXPECT_NE(made_anew(), 0U);
  instantiate(2, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
  EXPECT_EQ(launch_graph(2), 0U) << "kernels may launch it";
  driver_.GraphKernelNodeGetAttribute = [](CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue* value) {
    value->deviceUpdatableKernelNode.deviceUpdatable = 1;
    return CUDA_SUCCESS;
  };
  EXPECT_EQ(made_anew(), 0U) << "kernels may change it";
}

TEST_F(Graphs, ChangeWithTheirUpdates) {
  instantiate();
  const std::uint64_t one = launch_graph();
  std::uint64_t to = 0x7e1200000000, from = 0x7e3400000000;
  int count = 9;
  std::array<void*, 3> values{&to, &from, &count};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = reinterpret_cast<CUfunction>(0x30);
  kernel.kernelParams = values.data();
  const auto graph = reinterpret_cast<CUgraphExec>(std::uint64_t{1});
  const auto change = [&] {
    ended(CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
          cuGraphExecKernelNodeSetParams_v2_params{graph, reinterpret_cast<CUgraphNode>(&nodes[0]), &kernel});
    return launch_graph();
  };
  const std::uint64_t changed = change();
  EXPECT_NE(changed, one);
  made_anew();
  EXPECT_EQ(change(), changed) << "in another process likewise";
  made_anew();
  count = 10;
  EXPECT_NE(change(), changed);
  cuGraphExecUpdate_v2_params update{};
  update.hGraphExec = graph;
  ended(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, update, CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(launch_graph(), one) << "it failed";
  ended(CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2, update);
  EXPECT_EQ(launch_graph(), one);
  ended(CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled, cuGraphNodeSetEnabled_params{graph, nullptr, 0});
  EXPECT_EQ(launch_graph(), 0U) << "that is not followed";
}

}  // namespace
}  // namespace harness::inject
