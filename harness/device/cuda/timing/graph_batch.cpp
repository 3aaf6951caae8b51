#include "harness/device/cuda/timing/graph_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/timing/capture.h"

namespace harness::cuda {
namespace {

struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraphExec>;

using Nodes = std::vector<cudaGraphNode_t>;

tl::unexpected<Error> not_watched(const std::string& why) {
  return fail(ErrorKind::usage, "no call of its graph can be watched: " + why);
}

std::string described(cudaError_t code) {
  return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

// The nodes that the next one of a stream would depend on, while it is captured.
Nodes last_nodes(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  if (cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count) != cudaSuccess) {
    (void)cudaGetLastError();
    return {};
  }
  return status == cudaStreamCaptureStatusActive ? Nodes(nodes, nodes + count) : Nodes{};
}

// A copy of a captured graph in which one call is watched. Captured calls cannot tell, because they were
// captured before.
class WatchedGraph {
 public:
  // `ends`: the last nodes of each call.
  static Result<Graph> make(const Graph& graph, const std::vector<Nodes>& ends, const WatchedCall& watched) {
    const auto call = static_cast<std::size_t>(watched.call);
    if (call >= ends.size() || ends[call].empty()) return not_watched("it is not known where a call ends");
    WatchedGraph made;
    cudaGraph_t copy = nullptr;
    made.noted(cudaGraphClone(&copy, graph.get()));
    made.graph_.reset(copy);
    if (made.failed_ == cudaSuccess) {
      const Nodes before = call == 0 ? Nodes{} : made.copied(ends[call - 1]);
      const Nodes after = made.copied(ends[call]);
      made.insert(before, watched.fills,
                  [&](const WatchedCall::Fill& fill, const Nodes& behind) { return made.add(fill, behind); });
      made.insert(after, watched.copies, [&](const WatchedCall::Copy& copying, const Nodes& behind) {
        return made.add(copying, behind);
      });
    }
    if (made.failed_ != cudaSuccess) {
      (void)cudaGetLastError();
      return not_watched(described(made.failed_));
    }
    return std::move(made.graph_);
  }

 private:
  struct Edge {
    cudaGraphNode_t from, to;
    cudaGraphEdgeData data;
  };

  void noted(cudaError_t code) {
    if (failed_ == cudaSuccess) failed_ = code;
  }

  Nodes copied(const Nodes& originals) {
    Nodes copies(originals.size());
    for (std::size_t i = 0; i < originals.size(); ++i)
      noted(cudaGraphNodeFindInClone(&copies[i], originals[i], graph_.get()));
    return copies;
  }

  std::vector<Edge> edges_from(const Nodes& nodes) {
    std::size_t count = 0;
    noted(cudaGraphGetEdges(graph_.get(), nullptr, nullptr, nullptr, &count));
    Nodes from(count), to(count);
    std::vector<cudaGraphEdgeData> data(count);
    noted(cudaGraphGetEdges(graph_.get(), from.data(), to.data(), data.data(), &count));
    std::vector<Edge> found;
    for (std::size_t i = 0; i < count; ++i)
      if (std::find(nodes.begin(), nodes.end(), from[i]) != nodes.end())
        found.push_back({from[i], to[i], data[i]});
    return found;
  }

  Nodes roots() {
    std::size_t count = 0;
    noted(cudaGraphGetRootNodes(graph_.get(), nullptr, &count));
    Nodes nodes(count);
    noted(cudaGraphGetRootNodes(graph_.get(), nodes.data(), &count));
    return nodes;
  }

  cudaGraphNode_t add(const WatchedCall::Fill& fill, const Nodes& behind) {
    cudaMemsetParams how{};
    how.dst = fill.to;
    how.elementSize = 1;
    how.width = fill.bytes;
    how.height = 1;
    how.value = fill.byte;
    cudaGraphNode_t node = nullptr;
    noted(cudaGraphAddMemsetNode(&node, graph_.get(), behind.data(), behind.size(), &how));
    return node;
  }

  cudaGraphNode_t add(const WatchedCall::Copy& copying, const Nodes& behind) {
    cudaGraphNode_t node = nullptr;
    noted(cudaGraphAddMemcpyNode1D(&node, graph_.get(), behind.data(), behind.size(), copying.to,
                                   copying.from, copying.bytes, cudaMemcpyDefault));
    return node;
  }

  // Everything behind these nodes now waits for `work`, one after the other; without nodes, all of the graph.
  template <class Work, class Add>
  void insert(const Nodes& nodes, const std::vector<Work>& work, const Add& add_one) {
    if (failed_ != cudaSuccess || work.empty()) return;
    const std::vector<Edge> cut = edges_from(nodes);
    Nodes next = nodes.empty() ? roots() : Nodes{};
    for (const Edge& edge : cut)
      if (std::find(next.begin(), next.end(), edge.to) == next.end()) next.push_back(edge.to);
    Nodes behind = nodes;
    for (const Work& one : work) behind = {add_one(one, behind)};
    if (failed_ != cudaSuccess) return;
    for (const Edge& edge : cut)
      noted(cudaGraphRemoveDependencies(graph_.get(), &edge.from, &edge.to, &edge.data, 1));
    for (const cudaGraphNode_t& one : next)
      noted(cudaGraphAddDependencies(graph_.get(), behind.data(), &one, nullptr, 1));
  }

  Graph graph_;
  cudaError_t failed_ = cudaSuccess;
};

Result<GraphExec> instantiated(const Graph& graph, cudaStream_t stream, std::size_t calls) {
  cudaGraphExec_t made = nullptr;
  if (auto status = check(cudaGraphInstantiate(&made, graph.get(), 0),
                          fmt::format("cudaGraphInstantiate of {} calls", calls),
                          "give shorter batches (`batch_nodes`)");
      !status)
    return fail(std::move(status.error()));
  GraphExec exec(made);
  if (auto status = check(cudaGraphUpload(exec.get(), stream), "cudaGraphUpload"); !status)
    return fail(std::move(status.error()));
  return exec;
}

// Its calls, as they were captured.
struct Calls {
  Graph graph;
  std::vector<Nodes> ends;
};

class GraphBatch final : public Batch {
 public:
  GraphBatch(Timer& timer, cudaStream_t stream, Calls calls, GraphExec graph)
      : timer_(timer), stream_(stream), calls_(std::move(calls)), graph_(std::move(graph)) {}

  Result<Timing> time(const TimingOptions& options) override { return time(options, graph_); }

  Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) override {
    Result<Graph> graph = WatchedGraph::make(calls_.graph, calls_.ends, watched);
    if (!graph) return fail(std::move(graph.error()));
    Result<GraphExec> exec = instantiated(*graph, stream_, calls_.ends.size());
    if (!exec) return fail(std::move(exec.error()));
    TimingOptions ungated = options;  // the first launch of a graph may still set something up
    ungated.gated = false;
    Result<Timing> timing = time(ungated, *exec);
    if (auto status = timer_.synchronize(); !status) return fail(std::move(status.error()));
    return timing;
  }

 private:
  // A refused launch is the runtime's last error, which Timer::time() reads.
  Result<Timing> time(const TimingOptions& options, const GraphExec& graph) {
    const auto launch = [&graph](sdk::Stream stream) {
      (void)cudaGraphLaunch(graph.get(), static_cast<cudaStream_t>(stream.handle));
    };
    Result<Timing> timing = timer_.time(launch, options);
    if (timing) timing->launch.reset();
    return timing;
  }

  Timer& timer_;
  cudaStream_t stream_;
  Calls calls_;
  GraphExec graph_;
};

tl::unexpected<Error> not_captured(const std::string& why) {
  return fail(ErrorKind::usage, "its calls cannot be captured in a CUDA graph: " + why,
              "set `timing: events` for this case; a captured run() only queues work on the stream that it "
              "is given: it does not wait, allocate or load code");
}

// Thread-local capture: a call that cannot be part of a graph, such as cudaMalloc, is an error in this
// thread. Otherwise it would take effect now, and not be timed.
Result<Calls> captured_calls(cudaStream_t stream, int calls, const NumberedWork& work) {
  std::vector<Nodes> ends;
  const NumberedWork noted = [&](sdk::Stream to, int number) {
    work(to, number);
    ends.push_back(last_nodes(stream));
  };
  Result<Captured> captured = capture(stream, cudaStreamCaptureModeThreadLocal, calls, noted);
  if (!captured) return fail(std::move(captured.error()));
  if (!captured->thrown.empty()) return not_captured(captured->thrown);
  if (captured->during != cudaSuccess)
    return not_captured("a CUDA call of run() failed: " + described(captured->during));
  if (captured->ended != cudaSuccess || !captured->graph) return not_captured(described(captured->ended));
  if (captured->nodes == 0) return not_captured("run() queued nothing on the stream that it was given");
  return Calls{std::move(captured->graph), std::move(ends)};
}

}  // namespace

Result<std::unique_ptr<Batch>> record_graph(Timer& timer, cudaStream_t stream, int calls,
                                            const NumberedWork& work) {
  Result<Calls> captured = captured_calls(stream, calls, work);
  if (!captured) return fail(std::move(captured.error()));
  Result<GraphExec> exec = instantiated(captured->graph, stream, static_cast<std::size_t>(calls));
  if (!exec) return fail(std::move(exec.error()));
  // The first launch of a graph may still set something up, so it is not gated.
  auto batch = std::make_unique<GraphBatch>(timer, stream, std::move(*captured), std::move(*exec));
  if (auto warm = batch->time({.cache = CacheMode::hot, .gated = false}); !warm)
    return fail(std::move(warm.error()));
  return batch;
}

}  // namespace harness::cuda
