// The trace of allocations, the caching pool under random requests, and replays of the CPU and of the
// emulator.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kernels/allocator/stamp_kernels.cuh"
#include "tests/emulate/memory.h"
#include "tests/kernels/early_pool.h"

void register_workload_allocator(harness::sdk::Registry&);

namespace allocator {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;

TraceShape small_shape() {
  return {.d = 64, .heads = 4, .layers = 3, .sequence = 40, .batch = 2, .vocabulary = 100, .steps = 5};
}

// Each block is allocated once, before its one free, and the most live bytes are those of the events.
TEST(AllocationTrace, AllocatesAndFreesEachBlockOnce) {
  const Trace trace = trace_of(small_shape());
  std::set<std::int32_t> live;
  std::int64_t now = 0, most = 0;
  std::int32_t next = 0;
  for (const Event& event : trace.events) {
    const std::int64_t bytes = trace.bytes.at(static_cast<std::size_t>(event.block));
    if (event.frees) {
      EXPECT_EQ(live.erase(event.block), 1U) << event.block;
      now -= bytes;
    } else {
      EXPECT_EQ(event.block, next++);
      live.insert(event.block);
      now += bytes;
    }
    most = std::max(most, now);
  }
  EXPECT_TRUE(live.empty());
  EXPECT_EQ(trace.events.size(), 2 * trace.blocks());
  EXPECT_EQ(trace.most_live, most);
}

// A layer keeps 16 d BF16 values, two roots and the logarithms of its softmax for each token. Sequences are
// so long that these are most at the begin of the backward pass.
TEST(AllocationTrace, GrowsByTheActivationsOfALayer) {
  TraceShape shape = small_shape();
  shape.steps = 1;
  shape.sequence = 400;
  const std::int64_t tokens = shape.batch * shape.sequence, before = trace_of(shape).most_live;
  ++shape.layers;
  EXPECT_EQ(trace_of(shape).most_live - before, tokens * (2 * 16 * shape.d + 8 + 4 * shape.heads));
}

// Counts what it has given out, and refuses beyond a limit.
class CountedSource final : public MemorySource {
 public:
  void* take(std::size_t bytes) override {
    if (held + bytes > limit) return nullptr;
    held += bytes;
    void* const segment = std::aligned_alloc(4096, bytes);
    segments[segment] = bytes;
    return segment;
  }
  void give(void* segment) override {
    held -= segments.at(segment);
    segments.erase(segment);
    std::free(segment);
  }

  std::map<void*, std::size_t> segments;
  std::size_t held = 0;
  std::size_t limit = std::size_t{1} << 40U;
};

// Blocks that are live at a time, by their begin.
class LiveBlocks {
 public:
  void add(void* address, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    EXPECT_EQ(begin % CachingPool::granule, 0U);
    const auto next = ends_.lower_bound(begin);
    if (next != ends_.end()) {
      EXPECT_LE(begin + bytes, next->first);
    }
    if (next != ends_.begin()) {
      EXPECT_LE(std::prev(next)->second, begin);
    }
    ends_[begin] = begin + bytes;
  }
  void remove(void* address) { ends_.erase(reinterpret_cast<std::uintptr_t>(address)); }

 private:
  std::map<std::uintptr_t, std::uintptr_t> ends_;
};

// Sizes from one byte to several segments, freed in random order.
TEST(CachingPool, GivesNoByteTwiceAndAllMemoryBack) {
  CountedSource source;
  {
    CachingPool pool(source);
    std::mt19937_64 random(3);
    LiveBlocks live;
    std::vector<CachingPool::Block> blocks;
    for (int i = 0; i < 20000; ++i) {
      if (blocks.size() > 40 || (!blocks.empty() && random() % 2 == 0)) {
        std::swap(blocks[random() % blocks.size()], blocks.back());
        live.remove(blocks.back().address);
        pool.give(blocks.back());
        blocks.pop_back();
        continue;
      }
      const std::size_t bytes = 1 + random() % (std::size_t{1} << (1 + random() % 25));
      blocks.push_back(pool.take(bytes));
      live.add(blocks.back().address, bytes);
    }
    EXPECT_EQ(pool.reserved(), source.held);
    EXPECT_GE(pool.most_reserved(), pool.reserved());
    for (const CachingPool::Block& block : blocks) pool.give(block);
    // Only pieces that were joined to whole segments again are given back.
    pool.release();
    EXPECT_EQ(pool.reserved(), 0U);
    EXPECT_EQ(source.held, 0U);
  }
  EXPECT_TRUE(source.segments.empty());
}

TEST(CachingPool, CutsAndJoinsBlocksInASegment) {
  CountedSource source;
  CachingPool pool(source);
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const auto first = pool.take(8 * mebibyte), second = pool.take(8 * mebibyte);
  EXPECT_EQ(source.held, CachingPool::large_segment);
  EXPECT_EQ(static_cast<unsigned char*>(second.address) - static_cast<unsigned char*>(first.address),
            static_cast<std::ptrdiff_t>(8 * mebibyte));
  pool.give(first);
  pool.give(second);
  const auto joined = pool.take(9 * mebibyte + 1);
  EXPECT_EQ(joined.address, first.address);
  EXPECT_EQ(source.held, CachingPool::large_segment);
  // Small blocks have segments of their own.
  const auto small = pool.take(1);
  EXPECT_EQ(source.held, CachingPool::large_segment + CachingPool::small_segment);
  pool.give(small);
  pool.give(joined);
}

TEST(CachingPool, GivesFreeSegmentsBackBeforeItFails) {
  CountedSource source;
  source.limit = 50 << 20U;
  CachingPool pool(source);
  pool.give(pool.take(30 << 20U));
  const auto larger = pool.take(40 << 20U);
  EXPECT_EQ(source.held, std::size_t{40} << 20U);
  EXPECT_THROW((void)pool.take(30 << 20U), std::runtime_error);
  pool.give(larger);
}

// After a replay the pool has what it needs: the next ones take nothing from the source.
TEST(CachingPool, ServesLaterReplaysFromItsOwnMemory) {
  HostPool memory({});
  Replay<HostPool> replay(trace_of(small_shape()), memory);
  for (int i = 0; i < 3; ++i) replay.run(NoWatcher{});
  const std::int64_t after_three = memory.most_reserved(replay);
  for (int i = 0; i < 20; ++i) replay.run(NoWatcher{});
  EXPECT_EQ(memory.most_reserved(replay), after_three);
  EXPECT_GE(after_three, replay.trace().most_live);
  EXPECT_LE(static_cast<double>(after_three),
            1.5 * static_cast<double>(replay.trace().most_live) + 3 * double{CachingPool::large_segment});
}

TEST(Replay, LeavesNoBlockAfterAnException) {
  HostPool memory({});
  Replay<HostPool> replay(trace_of(small_shape()), memory);
  struct Stops {
    void taken(std::int32_t block, void*, std::int64_t) const {
      if (block == 30) throw std::runtime_error("stop");
    }
    void giving(std::int32_t, void*, std::int64_t) const {}
  };
  EXPECT_THROW(replay.run(Stops{}), std::runtime_error);
  LiveBlocks live;
  struct Adds {
    void taken(std::int32_t, void* address, std::int64_t bytes) const {
      all->add(address, static_cast<std::size_t>(bytes));
    }
    void giving(std::int32_t, void* address, std::int64_t) const { all->remove(address); }
    LiveBlocks* all;
  };
  replay.run(Adds{&live});
}

// The kernels of the CUDA variants, in the emulator, on blocks of host memory.
class EmulatedDevice {
 public:
  explicit EmulatedDevice(const harness::sdk::DeviceTraits&) {}
  static void use(harness::sdk::Stream) {}
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned grid, const Arguments&... arguments) {
    emulate::launch({emulate::Landing::late, emulate::Order::shuffled, ++launches_}, {grid, 1, 1},
                    {stamp_threads, 1, 1}, 0, kernel, arguments...);
  }
  static void zero(void* at, std::size_t bytes) { std::memset(at, 0, bytes); }

 private:
  unsigned launches_ = 0;
};

// Blocks are a granule too short, so that a block's end lies in the next block.
class ShortPool : public HostPool {
 public:
  using HostPool::HostPool;
  Block take(std::size_t bytes) { return HostPool::take(bytes > 512 ? bytes - 512 : bytes); }
};

// The blocks whose stamp is not what the variant found, and its metrics.
class Metrics final : public harness::sdk::MetricSink {
 public:
  void report(std::string_view name, double value) override { values.emplace(name, value); }
  std::map<std::string, double, std::less<>> values;
};
struct Found {
  std::int64_t blocks = 0, wrong = 0;
  std::map<std::string, double, std::less<>> metrics;
};

template <class Memory, class Stamps>
Found found_by(const TraceShape& shape, int calls = 2) {
  harness::sdk::Registry registry;
  register_workload_allocator(registry);
  const harness::sdk::Workload& workload = *registry.workloads.front();
  Params params;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{{"d", shape.d},
                                                                   {"heads", shape.heads},
                                                                   {"layers", shape.layers},
                                                                   {"s", shape.sequence},
                                                                   {"batch", shape.batch},
                                                                   {"vocabulary", shape.vocabulary},
                                                                   {"steps", shape.steps}})
    params.set(name, harness::sdk::Value{value});
  const harness::sdk::Problem problem = workload.problem(params);
  std::vector<HostTensor> inputs(1, HostTensor(problem.tensors[stamps_index]));
  workload.fill(params, 11, inputs);
  const auto blocks = static_cast<std::size_t>(inputs[0].spec.elements());
  const std::span stamps(reinterpret_cast<const std::int32_t*>(inputs[0].data.data()), blocks);
  const emulate::Buffer<std::int32_t> in("stamps", stamps), out("found", blocks);

  ReplayVariant<Memory, Stamps> variant(params, problem, {});
  const emulate::Memory workspace("workspace", variant.workspace_bytes());
  const std::array<void*, 2> addresses{in.data(), out.data()};
  variant.bind({addresses, workspace.data()});
  for (int i = 0; i < calls; ++i) variant.run({});

  std::vector<std::int64_t> wanted(blocks);
  std::iota(wanted.begin(), wanted.end(), 0);
  std::vector<double> expected(blocks);
  workload.reference(params, inputs, 0, wanted, expected);
  Found found{static_cast<std::int64_t>(blocks), 0, {}};
  for (std::size_t i = 0; i < blocks; ++i) found.wrong += out[i] != expected[i] ? 1 : 0;
  Metrics metrics;
  variant.report(metrics);
  found.metrics = metrics.values;
  return found;
}

TEST(Replay, FindsEachStampOfARightMemory) {
  const TraceShape shape = small_shape();
  EXPECT_EQ((found_by<HostMalloc, HostStamps>(shape).wrong), 0);
  EXPECT_EQ((found_by<HostPool, HostStamps>(shape).wrong), 0);
  const Found emulated = found_by<HostPool, StampLauncher<EmulatedDevice>>({32, 2, 1, 16, 1, 50, 2}, 2);
  EXPECT_EQ(emulated.wrong, 0);
  EXPECT_GT(emulated.blocks, 80);
}

TEST(Replay, FindsOverlappingBlocks) {
  const TraceShape shape = small_shape();
  const Found early = found_by<EarlyPool, HostStamps>(shape);
  EXPECT_GT(early.wrong, early.blocks / 10);
  EXPECT_GT((found_by<ShortPool, HostStamps>(shape).wrong), 0);
  EXPECT_GT((found_by<EarlyPool, StampLauncher<EmulatedDevice>>({32, 2, 1, 16, 1, 50, 2}, 1).wrong), 0);
  EXPECT_GT((found_by<ShortPool, StampLauncher<EmulatedDevice>>({32, 2, 1, 16, 1, 50, 2}, 1).wrong), 0);
}

TEST(Replay, ReportsItsTimeAndMemory) {
  const TraceShape shape = small_shape();
  const std::int64_t live = trace_of(shape).most_live;
  const auto of_malloc = found_by<HostMalloc, HostStamps>(shape).metrics;
  EXPECT_GT(of_malloc.at("allocation_time"), 0);
  const auto of_pool = found_by<HostPool, HostStamps>(shape).metrics;
  EXPECT_GT(of_pool.at("allocation_time"), 0);
  EXPECT_GE(of_pool.at("reserved_memory"), static_cast<double>(live));
}

}  // namespace
}  // namespace allocator
