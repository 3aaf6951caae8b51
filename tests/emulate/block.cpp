#include "tests/emulate/block.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace emulate {
namespace {
Block* running = nullptr;

struct Running {
  explicit Running(Block* block) { running = block; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { running = nullptr; }
};

// Leaves a fiber whose program failed: it is never resumed.
struct Abandoned {};
}  // namespace

Block& block() {
  if (running == nullptr) throw Failure("device code was called outside a launch");
  return *running;
}

Thread& thread() {
  return block().thread();
}

void Groups::commit() {
  closed_.push_back(std::move(open_));
  open_.clear();
}

void Groups::wait(int pending) {
  for (; static_cast<int>(closed_.size()) > pending; closed_.pop_front())
    for (const Action& land : closed_.front()) land();
}

void Groups::clear() {
  open_.clear();
  closed_.clear();
}

void Block::run(dim3 of_grid, dim3 of_block, dim3 of_threads, std::size_t shared_bytes,
                const Action& kernel) {
  grid = of_grid;
  index = of_block;
  extent = of_threads;
  active_ = static_cast<std::size_t>(extent.x) * extent.y * extent.z;
  if (active_ == 0 || active_ > 1024) throw Failure("a block of " + std::to_string(active_) + " threads");
  const Running scope(this);
  prepare(kernel, shared_bytes);
  schedule();
  if (failure_) throw Failure(*failure_);
  check_shared();
}

void Block::prepare(const Action& kernel, std::size_t shared_bytes) {
  meetings_.clear();
  barriers_.clear();
  late_.clear();
  mbarriers.clear();
  products.clear();
  failure_.reset();
  dynamic_bytes_ = shared_bytes;
  dynamic_ = nullptr;
  statics_.clear();
  regions_.clear();
  next_static_ = std::size_t{3} * 1024 + shared_bytes;
  std::fill_n(shared_, most_shared_bytes * 2, std::byte{0xFF});
  while (threads_.size() < active_) threads_.push_back(std::make_unique<Thread>());
  for (std::size_t i = 0; i < active_; ++i) {
    Thread& one = *threads_[i];
    const auto number = static_cast<unsigned>(i);
    one.index = {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
    one.number = static_cast<int>(i);
    one.ready = true;
    one.condition = nullptr;
    one.copies.clear();
    one.stores.clear();
    one.products.clear();
    one.fenced = false;
    one.fiber.start([this, &one, &kernel] {
      try {
        kernel();
        one.copies.commit();
        one.copies.wait(0);
        one.stores.commit();
        one.stores.wait(0);
      } catch (const std::exception& error) {
        if (!failure_) failure_ = error.what();
      }
    });
  }
}

void Block::schedule() {
  std::vector<int> order(active_);
  std::iota(order.begin(), order.end(), 0);
  if (options_.order == Order::backward || options_.order == Order::last_warps)
    std::reverse(order.begin(), order.end());
  for (;;) {
    if (options_.order == Order::shuffled) std::shuffle(order.begin(), order.end(), random_);
    const bool progressed = pass(order);
    if (failure_) return;
    const bool done = std::all_of(threads_.begin(), threads_.begin() + static_cast<std::ptrdiff_t>(active_),
                                  [](const auto& one) { return one->fiber.done(); });
    if (done && late_.empty()) return;
    if (!progressed && !land_one()) {
      failure_ = deadlock();
      return;
    }
  }
}

// Lets every thread that can go on do so, once; in the unfair orders only those of the first warp that can.
bool Block::pass(const std::vector<int>& order) {
  const bool unfair = options_.order == Order::first_warps || options_.order == Order::last_warps;
  bool progressed = false;
  int warp = -1;
  for (const int number : order) {
    if (unfair && progressed && number / 32 != warp) return true;
    warp = number / 32;
    progressed |= try_to_run(*threads_[static_cast<std::size_t>(number)]);
    if (failure_) return true;
  }
  return progressed;
}

// False when the thread has ended or must wait.
bool Block::try_to_run(Thread& one) {
  if (one.fiber.done()) return false;
  if (!one.ready && one.condition && one.condition()) {
    one.condition = nullptr;
    one.ready = true;
  }
  if (!one.ready) return false;
  current_ = &one;
  one.fiber.resume();
  current_ = nullptr;
  return true;
}

// The copy engine is free to finish in any order.
bool Block::land_one() {
  if (late_.empty()) return false;
  const std::size_t which = options_.order == Order::shuffled ? random_() % late_.size() : 0;
  const Action land = std::move(late_[which]);
  late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(which));
  try {
    land();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return true;
}

void Block::suspend(std::string_view what) {
  Thread& one = *current_;
  one.ready = false;
  one.waits_for = what;
  one.fiber.suspend();
}

void Block::fail(const std::string& what) const {
  throw Failure("thread " + std::to_string(current_ != nullptr ? current_->number : -1) + " of block (" +
                std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) +
                "): " + what);
}

void Block::meet(const Place& place, int expected, void* operand, const std::function<void(Operands)>& act) {
  Meeting& meeting = meetings_[place];
  meeting.operands[static_cast<std::size_t>(current_->number % place.size)] = operand;
  ++meeting.come;
  if (meeting.come < expected) {
    meeting.waiting.push_back(current_);
    suspend(place.what);
    return;
  }
  const Meeting complete = std::move(meeting);
  meetings_.erase(place);
  act(Operands(complete.operands).first(static_cast<std::size_t>(place.size)));
  for (Thread* const one : complete.waiting) one->ready = true;
}

void Block::meet_warp(std::string_view what, std::uint32_t mask, void* operand,
                      const std::function<void(Operands)>& act) {
  const int here = std::min(32, threads() - current_->warp() * 32);
  const std::uint32_t present = here == 32 ? 0xFFFFFFFFU : (1U << here) - 1;
  if ((mask >> current_->lane() & 1U) == 0) fail(std::string(what) + " with a mask that lacks the caller");
  meet({current_->warp(), 32, mask, what}, __builtin_popcount(mask & present), operand, act);
}

void Block::meet_warpgroup(std::string_view what, void* operand, const std::function<void(Operands)>& act) {
  meet({current_->number / 128, 128, 0xFFFFFFFF, what}, 128, operand, act);
}

void Block::wait_until(std::string_view what, std::function<bool()> condition) {
  if (condition()) return;
  current_->condition = std::move(condition);
  suspend(what);
}

Block::Barrier& Block::come_to(int barrier, int expected) {
  if (barrier < 0 || barrier > 15) fail("there are barriers 0 to 15, not " + std::to_string(barrier));
  if (expected % 32 != 0 && barrier != 0) fail("a barrier of " + std::to_string(expected) + " threads");
  Barrier& at = barriers_[barrier];
  if (at.come == 0) at.expected = expected;
  if (at.expected != expected)
    fail("barrier " + std::to_string(barrier) + " awaits " + std::to_string(at.expected) + " threads, not " +
         std::to_string(expected));
  ++at.come;
  return at;
}

void Block::release(Barrier& barrier) {
  for (Thread* const one : barrier.waiting) one->ready = true;
  barrier = {};
}

void Block::sync(int barrier, int expected) {
  Barrier& at = come_to(barrier, expected);
  if (at.come == expected) return release(at);
  at.waiting.push_back(current_);
  suspend(barrier == 0 ? "__syncthreads" : "a named barrier");
}

void Block::arrive(int barrier, int expected) {
  Barrier& at = come_to(barrier, expected);
  if (at.come == expected) release(at);
}

void Block::later(Action land) {
  if (options_.landing == Landing::early) return land();
  late_.push_back(std::move(land));
}

std::string Block::deadlock() const {
  std::map<std::string_view, std::set<int>> waiting;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < active_; ++i) {
    if (threads_[i]->fiber.done())
      ++ended;
    else
      waiting[threads_[i]->waits_for].insert(threads_[i]->number);
  }
  std::string text = "deadlock in block (" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
                     std::to_string(index.z) + "):";
  for (const auto& [what, numbers] : waiting)
    text += " " + std::to_string(numbers.size()) + " threads wait at " + std::string(what) + " (" +
            std::to_string(*numbers.begin()) + (numbers.size() > 1 ? " to " : "") +
            (numbers.size() > 1 ? std::to_string(*numbers.rbegin()) : "") + ");";
  return text + " " + std::to_string(ended) + " have ended";
}

}  // namespace emulate
