// MemoryLedger: counts the bytes of a device's live buffers and their peak since a mark, refuses allocations
// beyond a limit, and logs all. For the scripted device, whose tests read the log. One thread uses it; it
// lives as long as the last buffer.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "harness/device/memory.h"

namespace harness {

struct AllocationEvent {
  enum class Kind { taken, freed, refused };
  Kind kind = Kind::taken;
  std::size_t buffer = 0;  // numbered from 1 in the order taken; 0 when refused
  std::size_t bytes = 0;

  bool operator==(const AllocationEvent&) const = default;
};

class MemoryLedger : public std::enable_shared_from_this<MemoryLedger> {
 public:
  using Allocate = std::function<Result<std::unique_ptr<Buffer>>(std::size_t)>;

  // Allocates `bytes` and counts them until the buffer is destroyed. Beyond the limit: an Error of kind
  // `environment`.
  Result<std::unique_ptr<Buffer>> take(std::size_t bytes, const Allocate& allocate);

  void limit(std::size_t bytes) { limit_ = bytes; }
  [[nodiscard]] std::size_t live() const { return live_; }
  // Forgets the peak. From now on the peak counts bytes beyond those in use now.
  void mark();
  [[nodiscard]] std::size_t peak_since_mark() const { return peak_ - at_mark_; }
  [[nodiscard]] const std::vector<AllocationEvent>& log() const { return log_; }

 private:
  friend class LedgerBuffer;
  void freed(std::size_t buffer, std::size_t bytes);

  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::size_t live_ = 0, peak_ = 0, at_mark_ = 0;
  std::size_t taken_ = 0;  // buffers so far
  std::vector<AllocationEvent> log_;
};

}  // namespace harness
