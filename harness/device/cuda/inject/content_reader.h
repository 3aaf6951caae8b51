// ContentReader: hashes what each call of a traced process copies from the host to a GPU, as the call begins.
// In small copies, as of tables of pointers, an address counts as the number of its allocation and an offset.
// Any thread may call it.
#pragma once

#include <cupti.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/device/cuda/inject/address_words.h"
#include "harness/device/cuda/profiling/driver.h"
#include "harness/device/trace/trace_format.h"

namespace harness::inject {

// The calls that it needs to see.
[[nodiscard]] const std::vector<CUpti_CallbackId>& content_calls();

class ContentReader {
 public:
  // More than this is not hashed: the copies that follow have no content.
  static constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;
  static constexpr auto longest = std::chrono::seconds(2);
  static constexpr std::uint64_t small = std::uint64_t{64} << 10;  // bytes, of copies with addresses

  explicit ContentReader(const cuda::Driver& driver) : driver_(driver) {}

  // A callback of one of content_calls(). The hash of all bytes that the call takes from the host; nothing
  // where it takes none, where they cannot be read, and beyond the limits.
  std::optional<trace::Content> take(CUpti_CallbackId id, const CUpti_CallbackData& data);

  [[nodiscard]] std::uint64_t bytes() const;
  // Memory of the host that a small copy has an address of: a kernel may follow it.
  [[nodiscard]] std::uint64_t shared_bytes() const;
  [[nodiscard]] std::string problem() const;  // why not everything was hashed, or ""

 private:
  struct Piece {
    const void* from = nullptr;
    std::uint64_t bytes = 0;  // of a row
    std::uint64_t rows = 1;
    std::uint64_t pitch = 0;   // bytes between rows
    std::uint64_t slices = 1;  // of so many rows
    std::uint64_t depth = 0;   // bytes between slices
  };

  [[nodiscard]] std::vector<Piece> pieces_of(CUpti_CallbackId id, const CUpti_CallbackData& data) const;
  template <class Copy>
  void add_box(std::vector<Piece>& pieces, const Copy& from, std::uint64_t first_slice,
               std::uint64_t rows_a_slice, std::uint64_t slices) const;
  [[nodiscard]] bool on_host(std::uint64_t address) const;
  void replace_addresses(std::vector<std::uint64_t>& words);

  cuda::Driver driver_;
  mutable std::mutex mutex_;  // of what follows
  std::uint64_t bytes_ = 0;
  std::uint64_t shared_ = 0;
  std::chrono::steady_clock::duration took_{};
  std::string problem_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // of allocations, by the driver's id
  HostAddresses host_;
};

}  // namespace harness::inject
