#include "harness/device/memory_ledger.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness {

// A buffer that tells the ledger when it is destroyed.
class LedgerBuffer final : public Buffer {
 public:
  LedgerBuffer(std::unique_ptr<Buffer> held, std::size_t number, std::shared_ptr<MemoryLedger> ledger)
      : held_(std::move(held)), number_(number), ledger_(std::move(ledger)) {}
  LedgerBuffer(const LedgerBuffer&) = delete;
  LedgerBuffer& operator=(const LedgerBuffer&) = delete;
  ~LedgerBuffer() override { ledger_->freed(number_, held_->bytes()); }
  [[nodiscard]] void* data() const override { return held_->data(); }
  [[nodiscard]] std::size_t bytes() const override { return held_->bytes(); }

 private:
  std::unique_ptr<Buffer> held_;
  std::size_t number_;
  std::shared_ptr<MemoryLedger> ledger_;
};

Result<std::unique_ptr<Buffer>> MemoryLedger::take(std::size_t bytes, const Allocate& allocate) {
  if (bytes > limit_ - std::min(limit_, live_)) {
    log_.push_back({AllocationEvent::Kind::refused, 0, bytes});
    return fail(ErrorKind::environment,
                fmt::format("{} bytes do not fit: {} of {} bytes are in use", bytes, live_, limit_),
                "make the case smaller");
  }
  Result<std::unique_ptr<Buffer>> held = allocate(bytes);
  if (!held) return held;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  log_.push_back({AllocationEvent::Kind::taken, ++taken_, bytes});
  return std::make_unique<LedgerBuffer>(std::move(*held), taken_, shared_from_this());
}

void MemoryLedger::mark() {
  peak_ = at_mark_ = live_;
}

void MemoryLedger::freed(std::size_t buffer, std::size_t bytes) {
  live_ -= bytes;
  log_.push_back({AllocationEvent::Kind::freed, buffer, bytes});
}

}  // namespace harness
