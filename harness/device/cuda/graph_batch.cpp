#include "harness/device/cuda/graph_batch.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/base/text.h"
#include "harness/device/cuda/check.h"

namespace harness::cuda {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraphExec>;

class GraphBatch final : public Batch {
 public:
  GraphBatch(Device& device, GraphExec graph) : device_(device), graph_(std::move(graph)) {}

  // A launch that is refused is the runtime's last error, which time() looks at.
  Result<Timing> time(const TimingOptions& options) override {
    const auto launch = [this] {
      (void)cudaGraphLaunch(graph_.get(), static_cast<cudaStream_t>(device_.stream().handle));
    };
    Result<Timing> timing = device_.time(launch, options);
    if (timing) timing->launch.reset();
    return timing;
  }

 private:
  Device& device_;
  GraphExec graph_;
};

tl::unexpected<Error> not_captured(const std::string& why) {
  return fail(ErrorKind::usage, "its calls cannot be captured in a CUDA graph: " + why,
              "set `timing: events` for this case; a captured run() only queues work on the stream that it "
              "is given: it does not wait, allocate or load code");
}

std::string described(cudaError_t code) {
  return fmt::format("{} ({})", cudaGetErrorName(code), cudaGetErrorString(code));
}

// What run() threw, or "".
std::string make_calls(int calls, const std::function<void(int)>& work) {
  try {
    for (int i = 0; i < calls; ++i) work(i);
  } catch (const std::exception& problem) {
    return fmt::format("run() threw `{}`", printable(problem.what()));
  } catch (...) {
    return "run() threw something that is not a std::exception";
  }
  return {};
}

// Thread-local capture: what is no part of a graph but would take effect now, such as cudaMalloc, is an
// error in this thread and not a call that is silently missing from what is timed.
Result<Graph> capture(cudaStream_t stream, int calls, const std::function<void(int)>& work) {
  if (auto status =
          check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
      !status)
    return fail(std::move(status.error()));
  const std::string thrown = make_calls(calls, work);
  const cudaError_t during = cudaGetLastError();
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &captured);
  Graph graph(captured);
  (void)cudaGetLastError();
  // A sticky error is the device's, whatever was being done.
  for (const cudaError_t code : {during, ended})
    if (is_sticky(code)) {
      Status lost = check(code, "capturing calls in a graph");
      return fail(std::move(lost.error()));
    }
  if (!thrown.empty()) return not_captured(thrown);
  if (during != cudaSuccess) return not_captured("a CUDA call of run() failed: " + described(during));
  if (ended != cudaSuccess || !graph) return not_captured(described(ended));
  std::size_t nodes = 0;
  if (auto status = check(cudaGraphGetNodes(graph.get(), nullptr, &nodes), "cudaGraphGetNodes"); !status)
    return fail(std::move(status.error()));
  if (nodes == 0) return not_captured("run() queued nothing on the stream that it was given");
  return graph;
}

}  // namespace

Result<std::unique_ptr<Batch>> record_graph(Device& device, cudaStream_t stream, int calls,
                                            const std::function<void(int)>& work) {
  Result<Graph> graph = capture(stream, calls, work);
  if (!graph) return fail(std::move(graph.error()));
  cudaGraphExec_t instantiated = nullptr;
  if (auto status = check(cudaGraphInstantiate(&instantiated, graph->get(), 0),
                          fmt::format("cudaGraphInstantiate of {} calls", calls),
                          "give shorter batches (`batch_nodes`)");
      !status)
    return fail(std::move(status.error()));
  GraphExec exec(instantiated);
  if (auto status = check(cudaGraphUpload(exec.get(), stream), "cudaGraphUpload"); !status)
    return fail(std::move(status.error()));
  // The warm launch: the first one of a graph may still set something up, which no gate must hold back.
  auto batch = std::make_unique<GraphBatch>(device, std::move(exec));
  if (auto warm = batch->time({.cache = CacheMode::hot, .gated = false}); !warm)
    return fail(std::move(warm.error()));
  return batch;
}

}  // namespace harness::cuda
