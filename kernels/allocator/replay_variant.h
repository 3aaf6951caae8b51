// ReplayVariant: the trace by one memory, with stamps in its blocks. Stamps has: Stamps(const DeviceTraits&,
// std::size_t blocks); workspace_bytes(); bind(stamps, found, workspace); begin(stream), taken() and giving()
// of a watcher; end(). Host code.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/allocator/allocator.h"

namespace allocator {

// Nanoseconds of the host for an allocation and its free: the median of replays without stamps, each with the
// wait at its end, divided by the number of blocks.
template <class Memory>
double nanoseconds_a_block(Replay<Memory>& replay) {
  using Clock = std::chrono::steady_clock;
  constexpr int warmup = 2, least = 3, most = 1000;
  constexpr auto long_enough = std::chrono::milliseconds(100);
  for (int i = 0; i < warmup; ++i) {
    replay.run(NoWatcher{});
    replay.memory().finish();
  }
  std::vector<double> times;
  const auto first = Clock::now();
  for (int i = 0; i < most && (i < least || Clock::now() - first < long_enough); ++i) {
    const auto began = Clock::now();
    replay.run(NoWatcher{});
    replay.memory().finish();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - began).count());
  }
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2] / static_cast<double>(std::max<std::size_t>(replay.trace().blocks(), 1));
}

template <class Memory, class Stamps>
class ReplayVariant final : public harness::sdk::Kernel {
 public:
  ReplayVariant(const harness::sdk::Params& params, const harness::sdk::Problem&,
                const harness::sdk::DeviceTraits& traits)
      : memory_(traits),
        replay_(trace_of(shape_of(params)), memory_),
        stamps_(traits, replay_.trace().blocks()) {
    memory_.expect(replay_.trace().most_live);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return stamps_.workspace_bytes(); }
  void bind(const harness::sdk::Buffers& buffers) override {
    stamps_.bind(buffers.as<const std::int32_t>(stamps_index), buffers.as<std::int32_t>(found_index),
                 buffers.workspace);
  }
  void run(harness::sdk::Stream stream) override {
    memory_.use(stream);
    stamps_.begin(stream);
    replay_.run(stamps_);
    stamps_.end();
  }
  [[nodiscard]] bool synchronises() const override { return Memory::waits; }

  void report(harness::sdk::MetricSink& sink) const override {
    memory_.use_own();
    sink.report("allocation_time", nanoseconds_a_block(replay_));
    sink.report("reserved_memory", static_cast<double>(memory_.most_reserved(replay_)));
  }

 private:
  mutable Memory memory_;  // replayed by report(), too
  mutable Replay<Memory> replay_;
  Stamps stamps_;
};

}  // namespace allocator
