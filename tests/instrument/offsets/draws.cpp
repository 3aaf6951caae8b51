#include "tests/instrument/offsets/draws.h"

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <utility>

#include "harness/device/cuda/gpu_kernels.h"
#include "harness/stats/estimate/estimator.h"
#include "tests/instrument/offsets/bench.h"
#include "tests/instrument/offsets/driver.h"
#include "tests/instrument/offsets/kernels.h"
#include "tests/instrument/offsets/kernels_image.h"  // made from kernels.cu

namespace harness::offsets {
namespace {

using Make = std::function<Subject()>;

constexpr int processes_with_contexts = 3;  // a context takes a fifth of a second
constexpr Seconds preheat = 0.2;
constexpr Seconds preheat_again = 0.02;

double typical(const std::vector<double>& times) {
  return stats::trimmed_mean(times, 0.1);
}

double milliseconds_since(Seconds began) {
  return (cuda::host_now() - began) * 1e3;
}

Subject with_events(Subject subject) {
  subject.begin = new_event();
  subject.end = new_event();
  return subject;
}

Subject with_stream(Subject subject) {
  subject.stream = new_stream();
  return subject;
}

// Behind a block of random size, as often small as large, as a worker's placements are.
Subject with_buffers(Subject subject, std::mt19937_64& random) {
  const double bytes = std::exp2(std::uniform_real_distribution<double>(8, 25)(random));
  subject.padding = new_buffer(static_cast<std::size_t>(bytes));
  const Buffer input = new_buffer(gelu_bytes);
  require(cudaMemcpyAsync(input.get(), subject.input.get(), gelu_bytes, cudaMemcpyDeviceToDevice,
                          subject.stream.get()),
          "cudaMemcpyAsync");
  subject.input = input;
  subject.output = new_buffer(gelu_bytes);
  return subject;
}

// A graph of one node; its arguments are those of `subject`.
Subject::Launch as_graph(const Subject& subject, const Subject::Launch& launch) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(subject.stream.get(), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  launch(subject);
  require(cudaStreamEndCapture(subject.stream.get(), &graph), "cudaStreamEndCapture");
  const cudaError_t made = cudaGraphInstantiate(&ready, graph, 0);
  (void)cudaGraphDestroy(graph);
  require(made, "cudaGraphInstantiate");
  const std::shared_ptr<CUgraphExec_st> kept(ready,
                                             [](cudaGraphExec_t old) { (void)cudaGraphExecDestroy(old); });
  require(cudaGraphUpload(ready, subject.stream.get()), "cudaGraphUpload");
  return [kept](const Subject& on) { (void)cudaGraphLaunch(kept.get(), on.stream.get()); };
}

Subject with_graphs(Subject subject) {
  subject.nothing = as_graph(subject, subject.nothing);
  subject.gelu = as_graph(subject, subject.gelu);
  return subject;
}

// The same machine code at another address.
Subject with_code(Subject subject) {
  cudaLibrary_t loaded = nullptr;
  require(cudaLibraryLoadData(&loaded, offsets_image, nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData");
  const std::shared_ptr<CUlib_st> library(loaded, [](cudaLibrary_t old) { (void)cudaLibraryUnload(old); });
  cudaKernel_t nothing = nullptr;
  cudaKernel_t gelu = nullptr;
  require(cudaLibraryGetKernel(&nothing, loaded, "offsets_nothing"), "cudaLibraryGetKernel");
  require(cudaLibraryGetKernel(&gelu, loaded, "offsets_gelu"), "cudaLibraryGetKernel");
  subject.nothing = [library, nothing](const Subject& on) {
    (void)cudaLaunchKernel(static_cast<const void*>(nothing), 1, 1, nullptr, 0, on.stream.get());
  };
  subject.gelu = [library, gelu](const Subject& on) {
    void* from = on.input.get();
    void* to = on.output.get();
    void* arguments[] = {&from, &to};
    (void)cudaLaunchKernel(static_cast<const void*>(gelu), gelu_blocks, gelu_block_size, arguments, 0,
                           on.stream.get());
  };
  return subject;
}

CUdevice driver_device() {
  int ordinal = 0;
  CUdevice device = 0;
  require(cudaGetDevice(&ordinal), "cudaGetDevice");
  require(driver_function<PFN_cuDeviceGet_v2000>("cuDeviceGet", 2000)(&device, ordinal), "cuDeviceGet");
  return device;
}

// A stream of a context that shares the process's memory and has every multiprocessor.
Stream new_green_stream() {
  const auto resource_of =
      driver_function<PFN_cuDeviceGetDevResource_v12040>("cuDeviceGetDevResource", 12040);
  const auto describe =
      driver_function<PFN_cuDevResourceGenerateDesc_v12040>("cuDevResourceGenerateDesc", 12040);
  const auto create = driver_function<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate", 12040);
  const auto destroy = driver_function<PFN_cuGreenCtxDestroy_v12040>("cuGreenCtxDestroy", 12040);
  const auto create_stream =
      driver_function<PFN_cuGreenCtxStreamCreate_v12050>("cuGreenCtxStreamCreate", 12050);
  const CUdevice device = driver_device();
  CUdevResource multiprocessors{};
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  require(resource_of(device, &multiprocessors, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
  require(describe(&description, &multiprocessors, 1), "cuDevResourceGenerateDesc");
  require(create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
  const std::shared_ptr<CUgreenCtx_st> kept(context, [destroy](CUgreenCtx old) { (void)destroy(old); });
  require(create_stream(&stream, context, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
  return {stream, [kept](cudaStream_t old) { (void)cudaStreamDestroy(old); }};
}

Subject with_green_stream(Subject subject) {
  subject.stream = new_green_stream();
  return subject;
}

// Made and current; nobody destroys it but the end of the process, as the runtime keeps things in it.
Subject in_new_context() {
  const auto create = driver_function<PFN_cuCtxCreate_v12050>("cuCtxCreate", 12050);
  CUcontext context = nullptr;
  require(create(&context, nullptr, 0, driver_device()), "cuCtxCreate");
  return new_subject();
}

// Draws, and times each. Every draw lives until the last has been timed, so that no two are the same. A draw
// with its own context ends while that context is current.
Row draw(std::string name, const Subject& base, const Wanted& wanted, const Make& make) {
  Row row;
  row.drawn = std::move(name);
  CUcontext context = nullptr;
  require(driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000)(&context), "cuCtxGetCurrent");
  std::vector<Subject> kept;
  try {
    for (int i = 0; i < wanted.draws; ++i) {
      const Seconds began = cuda::host_now();
      Subject subject = make();
      launch_once(subject);
      row.cost_ms.push_back(milliseconds_since(began));
      Bench& bench = *subject.bench;
      if (subject.bench != base.bench) bench.keep_busy(subject.stream.get(), preheat_again);
      row.empty_ns.push_back(typical(bench.time(subject, subject.nothing, wanted.samples)));
      row.gelu_ns.push_back(typical(bench.time(subject, subject.gelu, wanted.samples)));
      if (subject.bench == base.bench) kept.push_back(std::move(subject));
    }
  } catch (const Unavailable& why) {
    row.missing = why.what();
  } catch (const Failure& what) {
    row.failed = what.what();
  }
  try {
    require(driver_function<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000)(context), "cuCtxSetCurrent");
    // A gate remembers the stream that it held last, so that must be one that lives on.
    (void)base.bench->time(base, base.nothing, 1);
  } catch (const Failure& what) {
    if (row.failed.empty()) row.failed = what.what();
  }
  return row;
}

// Wall time a sample and the event times that go with it.
std::pair<double, double> wall_of(const Subject& base, const Subject::Launch& launch, Bench::NextFlush next) {
  constexpr int samples = 400;
  const Seconds began = cuda::host_now();
  const std::vector<double> times = base.bench->time(base, launch, samples, 0, next);
  return {milliseconds_since(began) * 1e3 / samples, typical(times)};
}

Wall wall_times(const Subject& base, Bench::NextFlush next) {
  Wall wall;
  wall.flushed = next == Bench::NextFlush::once_read ? "after the sample was read"
                 : next == Bench::NextFlush::evicted_ahead
                     ? "evicted at once, persisting lines reset after it"
                     : "evicted at once, persisting lines reset at once";
  std::tie(wall.empty_wall_us, wall.empty_ns) = wall_of(base, base.nothing, next);
  std::tie(wall.gelu_wall_us, wall.gelu_ns) = wall_of(base, base.gelu, next);
  return wall;
}

void idle(const Subject& base, double milliseconds) {
  base.bench->keep_busy(base.stream.get(), preheat_again);
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

Idling after_idling(const Subject& base, const Subject::Launch& copy, double milliseconds) {
  std::vector<double> firsts;
  std::vector<double> medians;
  std::vector<double> clocks;
  for (int i = 0; i < 5; ++i) {
    idle(base, milliseconds);
    const std::vector<double> times = base.bench->time(base, copy, 10, 0);
    firsts.push_back(times.front() * 1e-3);
    medians.push_back(stats::median(times) * 1e-3);
    idle(base, milliseconds);
    clocks.push_back(base.bench->clock_ghz(base.stream.get()));
  }
  return {milliseconds, stats::median(firsts), stats::median(medians), stats::median(clocks)};
}

std::vector<Idling> after_idling(const Subject& base) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const Buffer from = new_buffer(bytes);
  const Buffer to = new_buffer(bytes);
  cuda::launch_random_f16(base.stream.get(), from.get(), bytes / 2, 2);
  const auto copy = [&](const Subject& on) {
    cuda::launch_copy(on.stream.get(), to.get(), from.get(), bytes);
  };
  copy(base);
  require(cudaStreamSynchronize(base.stream.get()), "cudaStreamSynchronize");
  std::vector<Idling> found;
  for (const double milliseconds : {0, 2, 10, 50, 300})
    found.push_back(after_idling(base, copy, milliseconds));
  return found;
}

}  // namespace

Findings draw_all(const Wanted& wanted) {
  Findings found;
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  require(cudaSetDevice(0), "cudaSetDevice");
  found.device = properties.name;
  const Subject base = new_subject();
  launch_once(base);
  found.start_ms = milliseconds_since(wanted.started);
  base.bench->keep_busy(base.stream.get(), preheat);
  std::mt19937_64 random(static_cast<std::uint64_t>(wanted.process));
  const auto row = [&](const char* drawn, const Make& make) {
    found.rows.push_back(draw(drawn, base, wanted, make));
  };
  row(nothing_drawn, [&] { return base; });
  row("event objects", [&] { return with_events(base); });
  row("memory placements", [&] { return with_buffers(base, random); });
  row("code, loaded again", [&] { return with_code(base); });
  row("graphs of one kernel", [&] { return with_graphs(base); });
  row("streams", [&] { return with_stream(base); });
  row("green contexts", [&] { return with_green_stream(base); });
  if (wanted.process == 0) {
    for (const auto next :
         {Bench::NextFlush::once_read, Bench::NextFlush::evicted_ahead, Bench::NextFlush::all_ahead})
      found.walls.push_back(wall_times(base, next));
    found.flush_us = base.bench->flush_time(base) * 1e6;
    found.idling = after_idling(base);
  }
  if (wanted.process < processes_with_contexts) row("contexts", in_new_context);
  return found;
}

}  // namespace harness::offsets
