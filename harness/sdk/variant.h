// Variant: one way to solve a workload on one kind of device. A variant is one source file: a class
// derived from Kernel and one HARNESS_VARIANT line.
//
//   class Tiled final : public harness::sdk::Kernel { ... };
//   HARNESS_VARIANT(matmul, tiled, cuda, "64x64 tiles in shared memory", Tiled)
//
// The class is constructed as Tiled(const Params&, const Problem&, const DeviceTraits&) for each
// case: check there what you support and throw Unsupported with the reason.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/sdk/workload.h"

namespace harness::sdk {

// The properties of the device that a variant may ask for.
struct DeviceTraits {
  std::string kind;       // "cpu" or "cuda"
  std::string name;       // "NVIDIA H200"
  int compute_major = 0;  // cuda only
  int compute_minor = 0;
  int multiprocessors = 0;                  // cuda: SMs; cpu: hardware threads
  std::size_t shared_memory_per_block = 0;  // cuda: opt-in maximum, bytes
  int ordinal = 0;                          // cuda: device number, already current
  // cuda: the numbers of the other GPUs of a case of several (Problem::gpus), GPU 1 first. All of them reach
  // each other's memory.
  std::vector<int> peers = {};
};

// The queue on which a kernel runs: a cudaStream_t on cuda, null on cpu.
struct Stream {
  void* handle = nullptr;
  // The streams of the other GPUs, in the order of DeviceTraits::peers. Their work begins after what was
  // queued on `handle`, and what is queued there later waits for it. So the slowest GPU decides the time.
  std::span<void* const> peers = {};

  // The stream of GPU number `gpu` of the case.
  [[nodiscard]] void* on(int gpu) const {
    return gpu == 0 ? handle : peers[static_cast<std::size_t>(gpu) - 1];
  }
};

// The addresses of the problem's tensors, in the order of Problem::tensors, 256-byte aligned. They lie in
// the memory of the device, or of the GPU that the tensor names. workspace has workspace_bytes().
struct Buffers {
  std::span<void* const> tensors;
  void* workspace = nullptr;

  template <class T>
  [[nodiscard]] T* as(std::size_t index) const {
    return static_cast<T*>(tensors[index]);
  }
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  // Scratch bytes that bind() receives in Buffers::workspace, on the first GPU.
  [[nodiscard]] virtual std::size_t workspace_bytes() const { return 0; }

  // New addresses: called once per placement, never timed. Plans, handles and heuristics are built
  // in the constructor or here. Nothing computed from the inputs may be kept: their values change between
  // calls, and the results of such calls are verified.
  virtual void bind(const Buffers& buffers) = 0;

  // The timed call: reads the inputs, writes every element of every output. On cuda it enqueues on `stream`
  // and returns. After its first call it must not synchronise (unless synchronises() says so), allocate or
  // load code. It must not count calls: a call may be captured in a graph that runs later, many times or
  // never. With several GPUs the first is current; run() may choose others.
  virtual void run(Stream stream) = 0;

  // True when run() waits for the device, or the host's time is to be in that of a call: it is then timed
  // from an idle device, without a launch gate, and marked so.
  [[nodiscard]] virtual bool synchronises() const { return false; }

  // The numeric contract of the variant, where it is not the workload's: a product in FP8 is further from the
  // right answer than one in FP16. Nothing else about the check changes. Never depends on values of inputs.
  [[nodiscard]] virtual std::optional<Tolerance> tolerance() const { return std::nullopt; }

  // For a variant that has several ways to work (algorithms, tiles): times them on these buffers, which
  // bind() has not seen yet, and tells the fastest as a short text. Nothing of it is measured. Further
  // processes and later runs make the same choice by take_choice(), so that they compare. "": there is one
  // way only.
  [[nodiscard]] virtual std::string choose(const Buffers& buffers) {
    (void)buffers;
    return {};
  }

  // Works as an earlier choose() told. False, and nothing changes: that is impossible here, for example
  // because another version of a library made the choice. Then choose() is called.
  [[nodiscard]] virtual bool take_choice(const std::string& choice) {
    (void)choice;
    return false;
  }

  // The type that the variant multiplies in, where it is not of 16 bits: e4m3, i8. Its FLOP/s are then
  // compared with the rate of products of that size.
  [[nodiscard]] virtual std::optional<DType> multiplies() const { return std::nullopt; }

  // Reports what only the variant knows of metrics that its workload declares: the size of its packed
  // weights, how often it had to repeat. Called once a process after the last check, never timed.
  virtual void report(MetricSink& sink) const { (void)sink; }
};

using MakeKernel = std::function<std::unique_ptr<Kernel>(const Params&, const Problem&, const DeviceTraits&)>;

// Why a variant has no `make`.
enum class Absence {
  told,            // `unavailable` says why
  in_cuda_module,  // only a worker process with a CUDA device can load it
  no_cuda_module,  // this build has none
  architecture,    // this build has not the architecture that the variant needs
};

struct Variant {
  std::string workload;
  std::string name;
  std::string device;            // "cpu" or "cuda"
  std::string summary;           // one line: the idea
  MakeKernel make = nullptr;     // null when this build or machine cannot run it
  std::string unavailable = {};  // why make is null, where `absence` does not tell
  Absence absence = Absence::told;
  std::string needs = {};  // the architecture, where this build is not for it: "90a"
  std::string has = {};    // the architectures of this build: "80;86"
  // Called before `make` and never timed: loads what a process needs once, such as libraries. May throw what
  // `make` throws. Null: nothing.
  std::function<void(const Params&, const DeviceTraits&)> prepare = nullptr;
  // An address in the variant's machine code, which tells a CPU build's identity. Null: unknown, so that two
  // builds are never proven identical.
  const void* code = nullptr;
};

}  // namespace harness::sdk
