// ArgumentReader: hashes what each launch of a traced process is given beside its shape: arguments,
// attributes, the priority of its stream. An address counts as its allocation, in the order of first use,
// with its size and an offset; so processes with other addresses agree. Each word has a hash of its own, too:
// unused bytes of a structure differ between processes. Any thread may call it.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/device/code/driver_call.h"
#include "harness/device/cuda/inject/address_words.h"
#include "harness/device/cuda/inject/argument_hash.h"
#include "harness/device/cuda/inject/module_codes.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::inject {

// The calls that it needs to see: of kernels, and of those that change what an address or a handle means.
[[nodiscard]] const std::vector<CUpti_CallbackId>& argument_calls();
// Whether a call launches a kernel.
[[nodiscard]] bool is_launch(CUpti_CallbackId id);
// The calls that put streams in order, by events.
[[nodiscard]] const std::vector<CUpti_CallbackId>& order_calls();
// The calls that make, change and launch executable graphs, and whether a call is one.
[[nodiscard]] const std::vector<CUpti_CallbackId>& graph_calls();
[[nodiscard]] bool is_of_graphs(CUpti_CallbackId id);

class ArgumentReader {
 public:
  explicit ArgumentReader(const cuda::Driver& driver) : driver_(driver) {}

  struct Given {
    std::uint64_t hash = 0;            // of everything; 0: something cannot be read
    std::vector<std::uint32_t> words;  // a hash of each word, in order
    std::size_t function = 0;          // number of what was launched
    // The numbers of all kernels of a graph.
    std::shared_ptr<const std::vector<std::size_t>> functions = {};
  };

  // A callback of one of argument_calls(). The values that a launch is given, as it begins; nothing for other
  // calls.
  std::optional<Given> take(CUpti_CallbackId id, const CUpti_CallbackData& data);

  // A callback of one of order_calls(), as it begins: what it does, with streams and events by the order of
  // first use.
  std::optional<std::uint32_t> take_order(CUpti_CallbackId id, const CUpti_CallbackData& data);

  // A function by its number. Handles of unloaded ones are given again, numbers are not.
  [[nodiscard]] LaunchedFunction function(std::size_t number);

  // Memory whose contents the host can change without a call: managed allocations, and memory of the host
  // that some launch was given an address of.
  [[nodiscard]] std::uint64_t shared_bytes();

 private:
  struct Launch {
    CUfunction function = nullptr;
    CUstream stream = nullptr;
    void** parameters = nullptr;  // addresses of arguments
    void** extra = nullptr;       // or all of them in one buffer
    const CUlaunchConfig* config = nullptr;
  };
  struct Allocation {
    AddressRange range;
    std::uint64_t number = 0;
    bool of_host = false;
  };
  // A graph that can be launched, as it is now.
  struct Graph {
    Given given;                     // hash 0: something in it is not known
    std::vector<CUgraphNode> nodes;  // of the graph that it was made of
  };

  static std::optional<Launch> launch_of(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool add(ArgumentHash& hash, const Launch& launch);
  bool add_attributes(ArgumentHash& hash, const CUlaunchConfig& config);
  bool add_buffer(ArgumentHash& hash, void** extra);
  void add_bytes(ArgumentHash& hash, const void* bytes, std::size_t count);
  void add_word(ArgumentHash& hash, std::uint64_t value);
  // Sizes of a function's arguments; null where nobody tells them.
  const std::vector<std::size_t>* sizes_of(CUfunction function);
  std::size_t number_of(CUfunction function);
  std::uint64_t number_of(CUstream stream) {
    return streams_.try_emplace(stream, streams_.size()).first->second;
  }
  std::optional<Given> take_graph_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
  Graph graph_of(CUgraph graph, std::uint64_t flags);
  std::vector<CUgraphNode> add_nodes(ArgumentHash& hash, std::vector<std::size_t>& functions, CUgraph of,
                                     bool& known);
  bool add_node(ArgumentHash& hash, std::vector<std::size_t>& functions, CUgraphNode node);
  bool add_kernel(ArgumentHash& hash, std::vector<std::size_t>& functions,
                  const CUDA_KERNEL_NODE_PARAMS_v2& kernel);
  bool add_node_attributes(ArgumentHash& hash, CUgraphNode node);
  void change_kernel(Graph& graph, const cuGraphExecKernelNodeSetParams_v2_params& change);
  const Allocation* allocation_of(std::uint64_t value);
  void forget_memory();
  void add_managed(const CUpti_CallbackData& data);

  cuda::Driver driver_;
  std::mutex mutex_;
  std::unordered_map<CUfunction, std::optional<std::vector<std::size_t>>> sizes_;
  std::unordered_map<CUgraphExec, Graph> graphs_;
  std::unordered_map<CUstream, std::uint64_t> streams_;  // numbers
  std::unordered_map<CUevent, std::uint64_t> events_;    // likewise, until they are destroyed
  std::uint64_t events_met_ = 0;
  std::unordered_map<CUfunction, std::size_t> numbers_of_functions_;
  std::vector<LaunchedFunction> functions_;
  std::map<std::uint64_t, Allocation> allocations_;                 // known ones, by begin
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;        // by the driver's id of an allocation
  std::unordered_set<std::uint64_t> of_host_;                       // numbers of allocations of the host
  std::uint64_t shared_ = 0;                                        // bytes
  std::array<std::uint64_t, std::size_t{1} << 12> no_addresses_{};  // values that lie in none
  HostAddresses host_;
};

}  // namespace harness::inject
