// ArgumentReader: hashes what each launch of a traced process is given beside its shape: arguments,
// attributes, the priority of its stream. An address counts as its allocation, in the order of first use,
// with its size and an offset; so processes with other addresses agree. Each word has a hash of its own, too:
// unused bytes of a structure differ between processes. Any thread may call it.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/device/code/driver_call.h"
#include "harness/device/cuda/profiling/driver.h"

namespace harness::inject {

// The calls that it needs to see: of kernels, and of those that change what an address or a handle means.
[[nodiscard]] const std::vector<CUpti_CallbackId>& argument_calls();
// Whether a call launches a kernel.
[[nodiscard]] bool is_launch(CUpti_CallbackId id);

class ArgumentReader {
 public:
  explicit ArgumentReader(const cuda::Driver& driver) : driver_(driver) {}

  struct Given {
    std::uint64_t hash = 0;            // of everything; 0: something cannot be read
    std::vector<std::uint32_t> words;  // a hash of each word, in order
  };

  // A callback of one of argument_calls(). The values that a launch is given, as it begins; nothing for other
  // calls.
  std::optional<Given> take(CUpti_CallbackId id, const CUpti_CallbackData& data);

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
  };
  class Hash;

  static std::optional<Launch> launch_of(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool add(Hash& hash, const Launch& launch);
  bool add_attributes(Hash& hash, const CUlaunchConfig& config);
  bool add_buffer(Hash& hash, void** extra);
  void add_bytes(Hash& hash, const void* bytes, std::size_t count);
  void add_word(Hash& hash, std::uint64_t value);
  // Sizes of a function's arguments; null where nobody tells them.
  const std::vector<std::size_t>* sizes_of(CUfunction function);
  const Allocation* allocation_of(std::uint64_t value);
  bool on_host(std::uint64_t value);
  void forget_memory();

  cuda::Driver driver_;
  std::mutex mutex_;
  std::unordered_map<CUfunction, std::optional<std::vector<std::size_t>>> sizes_;
  std::map<std::uint64_t, Allocation> allocations_;                 // known ones, by begin
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;        // by the driver's id of an allocation
  std::array<std::uint64_t, std::size_t{1} << 12> no_addresses_{};  // values that lie in none
  std::vector<AddressRange> host_;
  int host_readings_ = 0;
};

}  // namespace harness::inject
