// Block: one block of emulated CUDA threads, each a fiber, scheduled on one thread of the CPU until all have
// ended. It owns the fibers and the block's shared memory, knows who waits for whom, and reports a deadlock
// with what each thread waits for. The primitives (cuda.h, mma.h, hopper.h, wgmma.h) are written on meet(),
// wait_until(), later() and shared(); kernels see none of it. Blocks run one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/emulate/fiber.h"

struct dim3 {  // NOLINT(readability-identifier-naming): the name is CUDA's
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};
using uint3 = dim3;

namespace emulate {

// When an asynchronous operation takes effect: at once, or as late as the program allows.
enum class Landing { early, late };

// In which order threads that could go on do: by number, from the last, or at random, each until it must
// wait; or unfairly: the first (last) warps run as far ahead of the others as they can. Blocks start with the
// last in the orders that do.
enum class Order { forward, backward, shuffled, first_warps, last_warps };

struct Options {
  Landing landing = Landing::late;
  Order order = Order::forward;
  std::uint64_t seed = 1;  // of Order::shuffled
};

// An error of an emulated program.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Action = std::function<void()>;

// Asynchronous operations of one thread, in groups that are waited for in order.
class Groups {
 public:
  void add(Action land) { open_.push_back(std::move(land)); }
  void commit();
  void wait(int pending);  // lands the oldest groups until at most `pending` are left
  void clear();

 private:
  std::vector<Action> open_;
  std::deque<std::vector<Action>> closed_;
};

struct Thread {
  Fiber fiber;
  dim3 index;
  int number = 0;  // in the block
  bool ready = true;
  std::string_view waits_for;
  std::function<bool()> condition;     // for one who waits without a waker
  Groups copies;                       // cp.async
  Groups stores;                       // bulk stores
  std::deque<std::uint64_t> products;  // what each commit of wgmma's ends, as a count of the warpgroup's
  bool fenced = false;                 // has called wgmma_fence()

  [[nodiscard]] int lane() const { return number % 32; }
  [[nodiscard]] int warp() const { return number / 32; }
};

struct Mbarrier {
  int arrivals = 0;  // a phase needs
  int missing = 0;   // of them in this phase
  std::int64_t bytes = 0;
  int parity = 0;
};

class Block {
 public:
  static constexpr std::size_t most_shared_bytes = 232448;  // a block may have on compute capability 9.0

  explicit Block(const Options& options);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  // Runs `kernel` in every thread; throws Failure.
  void run(dim3 of_grid, dim3 of_block, dim3 of_threads, std::size_t shared_bytes, const Action& kernel);

  [[nodiscard]] Thread& thread() const { return *current_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] int threads() const { return static_cast<int>(active_); }

  // The functions that a thread calls. Waits until `expected` threads have come with the same key; the last
  // of them runs `act` on all operands, each at its thread's place (null where none came).
  struct Place {
    int group = 0;  // which warp or warpgroup
    int size = 32;  // of it
    std::uint32_t mask = 0xFFFFFFFF;
    std::string_view what;
    // NOLINTNEXTLINE(modernize-use-nullptr): taken for the 0 that a comparison is rewritten with
    auto operator<=>(const Place&) const = default;
  };
  using Operands = std::span<void* const>;
  void meet(const Place& place, int expected, void* operand, const std::function<void(Operands)>& act);
  void meet_warp(std::string_view what, std::uint32_t mask, void* operand,
                 const std::function<void(Operands)>& act);
  void meet_warpgroup(std::string_view what, void* operand, const std::function<void(Operands)>& act);

  void wait_until(std::string_view what, std::function<bool()> condition);
  void sync(int barrier, int expected);
  void arrive(int barrier, int expected);
  [[noreturn]] void fail(const std::string& what) const;

  // An operation by the copy engine: now, or when no thread can go on.
  void later(Action land);

  // Shared memory: `bytes` of it at a 32-bit address; fails where the kernel has none.
  [[nodiscard]] std::byte* shared(std::uint32_t address, std::size_t bytes, std::string_view what) const;
  [[nodiscard]] std::uint32_t shared_address(const void* pointer) const;
  std::byte* dynamic_shared(std::size_t alignment);
  std::byte* static_shared(const void* site, std::size_t bytes, std::size_t alignment);

  std::map<std::uint32_t, Mbarrier> mbarriers;
  // Products of each warpgroup that were issued and not yet computed, and how many were.
  struct Products {
    std::deque<Action> waiting;
    std::uint64_t computed = 0;
  };
  std::map<int, Products> products;

  dim3 grid;
  dim3 index;
  dim3 extent;

 private:
  struct Meeting {
    int come = 0;
    std::array<void*, 128> operands = {};
    std::vector<Thread*> waiting;
  };
  struct Barrier {
    int expected = 0;
    int come = 0;
    std::vector<Thread*> waiting;
  };
  struct Region {
    std::size_t begin;
    std::size_t end;
  };

  void prepare(const Action& kernel, std::size_t shared_bytes);
  void schedule();
  bool pass(const std::vector<int>& order);
  bool try_to_run(Thread& one);
  void suspend(std::string_view what);
  bool land_one();
  Barrier& come_to(int barrier, int expected);
  void release(Barrier& barrier);
  void add_region(std::size_t begin, std::size_t bytes);
  void check_shared() const;
  [[nodiscard]] std::string deadlock() const;

  Options options_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t active_ = 0;
  Thread* current_ = nullptr;
  std::map<Place, Meeting> meetings_;
  std::map<int, Barrier> barriers_;
  std::deque<Action> late_;
  std::optional<std::string> failure_;
  std::byte* shared_ = nullptr;
  std::vector<Region> regions_;
  std::map<const void*, std::byte*> statics_;
  std::size_t dynamic_bytes_ = 0;
  std::byte* dynamic_ = nullptr;
  std::size_t next_static_ = 0;
};

// The block whose thread runs now, and that thread.
Block& block();
Thread& thread();

}  // namespace emulate
