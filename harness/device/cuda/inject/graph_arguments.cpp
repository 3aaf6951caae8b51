// The part of ArgumentReader that reads graphs. However a graph was made, its nodes tell what they do when it
// is made executable. Changes of an executable graph count from then on.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/device/cuda/inject/argument_reader.h"
#include "harness/device/cuda/profiling/calls/callback.h"
#include "harness/device/cuda/profiling/calls/launch_words.h"

namespace harness::inject {
namespace {

using cuda::is_in;
using cuda::params;

const std::vector<CUpti_CallbackId> launching{CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                              CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
const std::vector<CUpti_CallbackId> instantiating{
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate, CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags, CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz};
// Their first argument is the graph that they change. Only a change of a kernel is followed.
const std::vector<CUpti_CallbackId> changing{
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemcpyNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecHostNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventRecordNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecEventWaitNodeSetEvent,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresSignalNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecExternalSemaphoresWaitNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecBatchMemOpNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy};

// Attributes that say what a kernel's node does. Others change when it may start, and not what it does.
constexpr std::array attributes{CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                                CU_LAUNCH_ATTRIBUTE_PRIORITY};

bool succeeded(const CUpti_CallbackData& data) {
  const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
  return result != nullptr && *result == CUDA_SUCCESS;
}

}  // namespace

const std::vector<CUpti_CallbackId>& graph_calls() {
  static const std::vector<CUpti_CallbackId> all = [] {
    std::vector<CUpti_CallbackId> calls{CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2};
    for (const auto* more : {&launching, &instantiating, &changing})
      calls.insert(calls.end(), more->begin(), more->end());
    return calls;
  }();
  return all;
}

bool is_of_graphs(CUpti_CallbackId id) {
  return is_in(graph_calls(), id);
}

// The first argument of a call that makes one is where the handle goes.
std::optional<ArgumentReader::Given> ArgumentReader::take_graph_call(CUpti_CallbackId id,
                                                                     const CUpti_CallbackData& data) {
  const bool begins = data.callbackSite == CUPTI_API_ENTER;
  if (data.functionParams == nullptr) return std::nullopt;
  if (is_in(launching, id)) {
    if (!begins) return std::nullopt;
    const auto known = graphs_.find(params<cuGraphLaunch_params>(data).hGraph);
    return known == graphs_.end() ? Given{} : known->second.given;
  }
  if (begins || !succeeded(data)) return std::nullopt;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags) {
    const auto& from = params<cuGraphInstantiateWithFlags_params>(data);
    graphs_.insert_or_assign(*from.phGraphExec, graph_of(from.hGraph, from.flags));
  } else if (is_in(instantiating, id) && id != CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate &&
             id != CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2) {
    const auto& from = params<cuGraphInstantiateWithParams_params>(data);
    graphs_.insert_or_assign(*from.phGraphExec, graph_of(from.hGraph, from.instantiateParams->flags));
  } else if (is_in(instantiating, id)) {
    const auto& from = params<cuGraphInstantiate_v2_params>(data);  // the older one begins with the same
    graphs_.insert_or_assign(*from.phGraphExec, graph_of(from.hGraph, 0));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2) {
    const auto& from = params<cuGraphExecUpdate_v2_params>(data);
    graphs_.insert_or_assign(from.hGraphExec, graph_of(from.hGraph, 0));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2) {
    const auto& from = params<cuGraphExecKernelNodeSetParams_v2_params>(data);
    if (const auto known = graphs_.find(from.hGraphExec); known != graphs_.end())
      change_kernel(known->second, from);
  } else {
    graphs_.erase(params<cuGraphExecDestroy_params>(data).hGraphExec);
  }
  return std::nullopt;
}

ArgumentReader::Graph ArgumentReader::graph_of(CUgraph graph, std::uint64_t flags) {
  ArgumentHash hash;
  Graph found;
  std::vector<std::size_t> functions;
  bool known = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) == 0;  // else kernels may launch it
  found.nodes = add_nodes(hash, functions, graph, known);
  if (!known) return found;
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  found.given = {hash.finished(), hash.take_words(), 0,
                 std::make_shared<const std::vector<std::size_t>>(std::move(functions))};
  return found;
}

// Nodes in the order in which they were made, and the edges between them by their places.
std::vector<CUgraphNode> ArgumentReader::add_nodes(ArgumentHash& hash, std::vector<std::size_t>& functions,
                                                   CUgraph of, bool& known) {
  std::size_t count = 0;
  known = known && driver_.GraphGetNodes(of, nullptr, &count) == CUDA_SUCCESS;
  std::vector<CUgraphNode> nodes(known ? count : 0);
  if (count > 0) known = known && driver_.GraphGetNodes(of, nodes.data(), &count) == CUDA_SUCCESS;
  if (!known) return {};
  hash.add(nodes.size());
  std::unordered_map<CUgraphNode, std::uint64_t> places;
  for (const CUgraphNode node : nodes) {
    places.emplace(node, places.size());
    if (!add_node(hash, functions, node)) known = false;
  }
  std::size_t edges = 0;
  known = known && driver_.GraphGetEdges_v2(of, nullptr, nullptr, nullptr, &edges) == CUDA_SUCCESS;
  if (!known || edges == 0) return nodes;
  std::vector<CUgraphNode> from(edges), to(edges);
  std::vector<CUgraphEdgeData> how(edges);
  known = driver_.GraphGetEdges_v2(of, from.data(), to.data(), how.data(), &edges) == CUDA_SUCCESS;
  std::vector<std::array<std::uint64_t, 3>> all;
  for (std::size_t i = 0; known && i < edges; ++i)
    all.push_back({places[from[i]], places[to[i]],
                   std::uint64_t{how[i].from_port} << 16 | std::uint64_t{how[i].to_port} << 8 | how[i].type});
  std::sort(all.begin(), all.end());
  for (const auto& edge : all) hash.add(edge);
  return nodes;
}

// False: what the node does is not known. A function of the host may do anything, and nobody tells the
// events.
bool ArgumentReader::add_node(ArgumentHash& hash, std::vector<std::size_t>& functions, CUgraphNode node) {
  CUgraphNodeType type{};
  if (driver_.GraphNodeGetType(node, &type) != CUDA_SUCCESS) return false;
  hash.add(static_cast<std::uint64_t>(type));
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
      return driver_.GraphKernelNodeGetParams_v2(node, &kernel) == CUDA_SUCCESS &&
             add_kernel(hash, functions, kernel) && add_node_attributes(hash, node);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY: {
      CUDA_MEMCPY3D copy{};
      if (driver_.GraphMemcpyNodeGetParams(node, &copy) != CUDA_SUCCESS) return false;
      for (const std::uint64_t one :
           {copy.srcXInBytes, copy.srcY, copy.srcZ, copy.srcPitch, copy.srcHeight, copy.dstXInBytes,
            copy.dstY, copy.dstZ, copy.dstPitch, copy.dstHeight, copy.WidthInBytes, copy.Height, copy.Depth})
        hash.add(one);
      hash.add(static_cast<std::uint64_t>(copy.srcMemoryType) << 8 |
               static_cast<std::uint64_t>(copy.dstMemoryType));
      if (copy.srcMemoryType != CU_MEMORYTYPE_HOST) add_word(hash, copy.srcDevice);
      if (copy.dstMemoryType != CU_MEMORYTYPE_HOST) add_word(hash, copy.dstDevice);
      return true;
    }
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      CUDA_MEMSET_NODE_PARAMS fill{};
      if (driver_.GraphMemsetNodeGetParams(node, &fill) != CUDA_SUCCESS) return false;
      add_word(hash, fill.dst);
      for (const std::uint64_t one :
           {fill.pitch, std::size_t{fill.value}, std::size_t{fill.elementSize}, fill.width, fill.height})
        hash.add(one);
      return true;
    }
    case CU_GRAPH_NODE_TYPE_GRAPH: {
      CUgraph child = nullptr;
      bool known = driver_.GraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS;
      if (known) (void)add_nodes(hash, functions, child, known);
      return known;
    }
    case CU_GRAPH_NODE_TYPE_EMPTY:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return true;
    default: return false;
  }
}

bool ArgumentReader::add_kernel(ArgumentHash& hash, std::vector<std::size_t>& functions,
                                const CUDA_KERNEL_NODE_PARAMS_v2& kernel) {
  const CUfunction function =
      kernel.func != nullptr ? kernel.func : reinterpret_cast<CUfunction>(kernel.kern);
  functions.push_back(number_of(function));
  for (const std::uint64_t one : {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ, kernel.blockDimX,
                                  kernel.blockDimY, kernel.blockDimZ, kernel.sharedMemBytes})
    hash.add(one);
  return add(hash, Launch{function, nullptr, kernel.kernelParams, kernel.extra, nullptr});
}

bool ArgumentReader::add_node_attributes(ArgumentHash& hash, CUgraphNode node) {
  CUlaunchAttributeValue value{};
  if (driver_.GraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value) ==
          CUDA_SUCCESS &&
      value.deviceUpdatableKernelNode.deviceUpdatable != 0)
    return false;  // a kernel may change it
  for (const CUlaunchAttributeID id : attributes) {
    CUlaunchAttribute one{};
    one.id = id;
    if (driver_.GraphKernelNodeGetAttribute(node, id, &one.value) != CUDA_SUCCESS) continue;
    DriverCall call;
    if (!cuda::add_attribute(call, one)) return false;
    hash.add(static_cast<std::uint64_t>(id));
    for (const auto& [name, figure] : call.figures) hash.add(static_cast<std::uint64_t>(figure));
    if (id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      add_word(hash, reinterpret_cast<std::uint64_t>(one.value.accessPolicyWindow.base_ptr));
  }
  return true;
}

// The words of before stay, and those of the change follow.
void ArgumentReader::change_kernel(Graph& graph, const cuGraphExecKernelNodeSetParams_v2_params& change) {
  if (graph.given.hash == 0) return;
  const auto node = std::find(graph.nodes.begin(), graph.nodes.end(), change.hNode);
  ArgumentHash hash;
  std::vector<std::size_t> functions = *graph.given.functions;
  hash.add(graph.given.hash);
  hash.add(static_cast<std::uint64_t>(node - graph.nodes.begin()));
  const bool known = node != graph.nodes.end() && change.nodeParams != nullptr &&
                     add_kernel(hash, functions, *change.nodeParams);
  if (!known) {
    graph.given = {};
    return;
  }
  std::vector<std::uint32_t> words = hash.take_words();
  graph.given.hash = hash.finished();
  // The first is that of the hash before, which has words of its own.
  graph.given.words.insert(graph.given.words.end(), words.begin() + 1, words.end());
  graph.given.functions = std::make_shared<const std::vector<std::size_t>>(std::move(functions));
}

}  // namespace harness::inject
