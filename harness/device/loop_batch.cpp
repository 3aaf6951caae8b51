#include "harness/device/loop_batch.h"

#include <cstring>
#include <utility>

namespace harness {

std::uint64_t bytes_of_pages(std::span<const std::byte> memory, std::uint64_t before) {
  constexpr std::size_t page = 4096;
  constexpr std::uint64_t prime = 0x100000001B3U;  // of FNV-1a
  for (std::size_t i = 0; i < memory.size(); i += page)
    before = (before ^ std::to_integer<std::uint64_t>(memory[i])) * prime;
  return memory.empty() ? before : (before ^ std::to_integer<std::uint64_t>(memory.back())) * prime;
}

void make_calls(const NumberedWork& work, int calls, sdk::Stream stream, const WatchedCall* watched) {
  for (int i = 0; i < calls; ++i) {
    const bool is_watched = watched != nullptr && watched->call == i;
    if (is_watched) {
      for (const WatchedCall::Fill& one : watched->fills) std::memset(one.to, one.byte, one.bytes);
      for (const WatchedCall::Copy& one : watched->writes) std::memcpy(one.to, one.from, one.bytes);
    }
    work(stream, i);
    if (is_watched)
      for (const WatchedCall::Copy& one : watched->copies) std::memcpy(one.to, one.from, one.bytes);
  }
}

namespace {

class LoopBatch final : public Batch {
 public:
  LoopBatch(Timer& timer, int calls, NumberedWork work)
      : timer_(timer), calls_(calls), work_(std::move(work)) {}

  Result<Timing> time(const TimingOptions& options) override { return time(options, nullptr); }
  Result<Timing> watch(const TimingOptions& options, const WatchedCall& watched) override {
    return time(options, &watched);
  }
  void queue(sdk::Stream stream) override { make_calls(work_, calls_, stream, nullptr); }

 private:
  Result<Timing> time(const TimingOptions& options, const WatchedCall* watched) {
    const auto all = [&](sdk::Stream stream) { make_calls(work_, calls_, stream, watched); };
    Result<Timing> timing = timer_.time(all, options);
    if (timing) timing->launch.reset();
    return timing;
  }

  Timer& timer_;
  int calls_;
  NumberedWork work_;
};

}  // namespace

std::unique_ptr<Batch> loop_batch(Timer& timer, int calls, NumberedWork work) {
  return std::make_unique<LoopBatch>(timer, calls, std::move(work));
}

}  // namespace harness
