#include "harness/device/cuda/timing/graph_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
using Ends = std::vector<std::optional<Nodes>>;  // the last nodes of each call

tl::unexpected<Error> not_watched(const std::string& why) {
  return fail(ErrorKind::usage, "no call of its graph can be watched: " + why);
}

std::string described(cudaError_t code) {
  return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

// The nodes that the next one of a stream would depend on, while it is captured: none before the first work.
// std::nullopt: the runtime does not tell, and a call that failed meanwhile tells why.
std::optional<Nodes> last_nodes(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  if (cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count) != cudaSuccess ||
      status != cudaStreamCaptureStatusActive)
    return std::nullopt;
  return Nodes(nodes, nodes + count);
}

// A copy of a captured graph in which one call is watched. Captured calls cannot tell, because they were
// captured before.
class WatchedGraph {
 public:
  static Result<Graph> make(const Graph& graph, const Ends& ends, const WatchedCall& watched) {
    const auto call = static_cast<std::size_t>(watched.call);
    if (call >= ends.size() || !ends[call] || (call > 0 && !ends[call - 1]))
      return not_watched("it is not known where a call ends");
    if ((watched.fills.empty() && watched.writes.empty()) || watched.copies.empty())
      return not_watched("it has no outputs");
    WatchedGraph made;
    cudaGraph_t copy = nullptr;
    made.noted(cudaGraphClone(&copy, graph.get()));
    made.graph_.reset(copy);
    if (made.failed_ == cudaSuccess)
      made.watch(call == 0 ? Nodes{} : made.copied(*ends[call - 1]), made.copied(*ends[call]), watched);
    if (made.failed_ != cudaSuccess) {
      (void)cudaGetLastError();
      return not_watched(described(made.failed_));
    }
    return std::move(made.graph_);
  }

 private:
  using NodeSet = std::set<cudaGraphNode_t>;

  void noted(cudaError_t code) {
    if (failed_ == cudaSuccess) failed_ = code;
  }

  Nodes copied(const Nodes& originals) {
    Nodes copies(originals.size());
    for (std::size_t i = 0; i < originals.size(); ++i)
      noted(cudaGraphNodeFindInClone(&copies[i], originals[i], graph_.get()));
    return copies;
  }

  Nodes nodes() {
    std::size_t count = 0;
    noted(cudaGraphGetNodes(graph_.get(), nullptr, &count));
    Nodes all(count);
    noted(cudaGraphGetNodes(graph_.get(), all.data(), &count));
    return all;
  }

  std::map<cudaGraphNode_t, Nodes> nodes_before() {
    std::size_t count = 0;
    noted(cudaGraphGetEdges(graph_.get(), nullptr, nullptr, nullptr, &count));
    Nodes from(count), to(count);
    std::vector<cudaGraphEdgeData> data(count);
    noted(cudaGraphGetEdges(graph_.get(), from.data(), to.data(), data.data(), &count));
    std::map<cudaGraphNode_t, Nodes> before;
    for (std::size_t i = 0; i < count; ++i) before[to[i]].push_back(from[i]);
    return before;
  }

  // These nodes and all that they wait for.
  static NodeSet up_to(const Nodes& ends, const std::map<cudaGraphNode_t, Nodes>& before) {
    NodeSet found;
    Nodes open = ends;
    while (!open.empty()) {
      const cudaGraphNode_t node = open.back();
      open.pop_back();
      if (!found.insert(node).second) continue;
      if (const auto those = before.find(node); those != before.end())
        open.insert(open.end(), those->second.begin(), those->second.end());
    }
    return found;
  }

  // All of the call comes after the fills and writes, and everything that follows it after the copies. A call
  // that has queued nothing has both in a row.
  void watch(const Nodes& begin, const Nodes& end, const WatchedCall& watched) {
    const std::map<cudaGraphNode_t, Nodes> before = nodes_before();
    const Nodes all = nodes();
    const NodeSet earlier = up_to(begin, before), done = up_to(end, before);
    Nodes last = begin;
    for (const WatchedCall::Fill& fill : watched.fills) last = {add(fill, last)};
    for (const WatchedCall::Copy& one : watched.writes) last = {add(one, last)};
    const cudaGraphNode_t filled = last.front();
    last.insert(last.end(), end.begin(), end.end());
    for (const WatchedCall::Copy& one : watched.copies) last = {add(one, last)};
    const cudaGraphNode_t copied = last.front();
    if (failed_ != cudaSuccess) return;
    const auto begins_behind = [&](cudaGraphNode_t node, const NodeSet& cut) {
      const auto those = before.find(node);
      return those == before.end() || std::any_of(those->second.begin(), those->second.end(),
                                                  [&](cudaGraphNode_t one) { return cut.contains(one); });
    };
    for (const cudaGraphNode_t node : all) {
      if (done.contains(node)) {
        if (!earlier.contains(node) && begins_behind(node, earlier)) follow(filled, node);
      } else if (begins_behind(node, done)) {
        follow(copied, node);
      }
    }
  }

  void follow(cudaGraphNode_t first, cudaGraphNode_t second) {
    noted(cudaGraphAddDependencies(graph_.get(), &first, &second, nullptr, 1));
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
  Ends ends;
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
    if (!exec) return not_watched(exec.error().message);
    TimingOptions ungated = options;  // the first launch of a graph may still set something up
    ungated.gated = false;
    Result<Timing> timing = time(ungated, *exec);
    if (auto status = timer_.synchronize(); !status) return fail(std::move(status.error()));
    return timing;
  }

  void queue(sdk::Stream stream) override { launch(graph_, stream); }

 private:
  // A refused launch is the runtime's last error, which the timer reads.
  static void launch(const GraphExec& graph, sdk::Stream stream) {
    (void)cudaGraphLaunch(graph.get(), static_cast<cudaStream_t>(stream.handle));
  }

  Result<Timing> time(const TimingOptions& options, const GraphExec& graph) {
    Result<Timing> timing = timer_.time([&graph](sdk::Stream stream) { launch(graph, stream); }, options);
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
  Ends ends;
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
