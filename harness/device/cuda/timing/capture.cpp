#include "harness/device/cuda/timing/capture.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "harness/base/text.h"
#include "harness/device/cuda/check.h"

namespace harness::cuda {
namespace {

std::string make_calls(cudaStream_t stream, int calls, const NumberedWork& work) {
  try {
    for (int i = 0; i < calls; ++i) work(sdk::Stream{stream}, i);
  } catch (const std::exception& problem) {
    return fmt::format("run() threw `{}`", printable(problem.what()));
  } catch (...) {
    return "run() threw something that is not a std::exception";
  }
  return {};
}

}  // namespace

Result<Captured> capture(cudaStream_t stream, cudaStreamCaptureMode mode, int calls,
                         const NumberedWork& work) {
  if (auto status = check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture"); !status)
    return fail(std::move(status.error()));
  Captured captured;
  captured.thrown = make_calls(stream, calls, work);
  captured.during = cudaGetLastError();
  cudaGraph_t graph = nullptr;
  captured.ended = cudaStreamEndCapture(stream, &graph);
  captured.graph.reset(graph);
  (void)cudaGetLastError();
  // A sticky error concerns the device, not the capture.
  for (const cudaError_t code : {captured.during, captured.ended})
    if (is_sticky(code)) {
      Status lost = check(code, "capturing calls in a graph");
      return fail(std::move(lost.error()));
    }
  if (captured.ended != cudaSuccess || !captured.graph) return captured;
  if (auto status =
          check(cudaGraphGetNodes(captured.graph.get(), nullptr, &captured.nodes), "cudaGraphGetNodes");
      !status)
    return fail(std::move(status.error()));
  return captured;
}

}  // namespace harness::cuda
