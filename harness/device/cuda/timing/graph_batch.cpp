#include "harness/device/cuda/timing/graph_batch.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/timing/capture.h"

namespace harness::cuda {
namespace {

struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const { (void)cudaGraphExecDestroy(graph); }
};
using GraphExec = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraphExec>;

class GraphBatch final : public Batch {
 public:
  GraphBatch(Timer& timer, GraphExec graph) : timer_(timer), graph_(std::move(graph)) {}

  // A refused launch is the runtime's last error, which Timer::time() reads.
  Result<Timing> time(const TimingOptions& options) override {
    const auto launch = [this](sdk::Stream stream) {
      (void)cudaGraphLaunch(graph_.get(), static_cast<cudaStream_t>(stream.handle));
    };
    Result<Timing> timing = timer_.time(launch, options);
    if (timing) timing->launch.reset();
    return timing;
  }

 private:
  Timer& timer_;
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

// Thread-local capture: a call that cannot be part of a graph, such as cudaMalloc, is an error in this
// thread. Otherwise it would take effect now, and not be timed.
Result<Graph> graph_of(cudaStream_t stream, int calls, const NumberedWork& work) {
  Result<Captured> captured = capture(stream, cudaStreamCaptureModeThreadLocal, calls, work);
  if (!captured) return fail(std::move(captured.error()));
  if (!captured->thrown.empty()) return not_captured(captured->thrown);
  if (captured->during != cudaSuccess)
    return not_captured("a CUDA call of run() failed: " + described(captured->during));
  if (captured->ended != cudaSuccess || !captured->graph) return not_captured(described(captured->ended));
  if (captured->nodes == 0) return not_captured("run() queued nothing on the stream that it was given");
  return std::move(captured->graph);
}

}  // namespace

Result<std::unique_ptr<Batch>> record_graph(Timer& timer, cudaStream_t stream, int calls,
                                            const NumberedWork& work) {
  Result<Graph> graph = graph_of(stream, calls, work);
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
  // The first launch of a graph may still set something up, so it is not gated.
  auto batch = std::make_unique<GraphBatch>(timer, std::move(exec));
  if (auto warm = batch->time({.cache = CacheMode::hot, .gated = false}); !warm)
    return fail(std::move(warm.error()));
  return batch;
}

}  // namespace harness::cuda
