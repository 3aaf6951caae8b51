#include "tests/emulate/fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATE_ASAN 1
#endif
#endif
#ifdef EMULATE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define EMULATE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EMULATE_TSAN 1
#endif
#endif
#ifdef EMULATE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace emulate {
namespace {
constexpr std::size_t guard_bytes = std::size_t{64} << 10;   // a page on every machine
constexpr std::size_t stack_bytes = std::size_t{256} << 10;  // AddressSanitizer clears as much a switch
}  // namespace

Fiber::Fiber() {
  memory_ = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory_, guard_bytes, PROT_NONE);
}

Fiber::~Fiber() {
#ifdef EMULATE_TSAN
  if (inside_calls_ != nullptr) __tsan_destroy_fiber(inside_calls_);
#endif
  munmap(memory_, guard_bytes + stack_bytes);
}

void Fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  done_ = false;
  fake_stack_ = nullptr;
#ifdef EMULATE_TSAN
  // Anew: the old one still lists the calls that the last body never returned from, enter() itself at least.
  if (inside_calls_ != nullptr) __tsan_destroy_fiber(inside_calls_);
  inside_calls_ = __tsan_create_fiber(0);
#endif
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = static_cast<std::byte*>(memory_) + guard_bytes;
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = &outside_;
  // makecontext passes ints: the pointer goes in two halves.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(static_cast<std::uint64_t>(self) >> 32));
}

void Fiber::enter(unsigned low, unsigned high) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): makecontext passes nothing but ints
  auto* const self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(low) |
                                              static_cast<std::uintptr_t>(std::uint64_t{high} << 32));
#ifdef EMULATE_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->outside_stack_, &self->outside_size_);
#endif
  self->body_();
  self->done_ = true;
#ifdef EMULATE_ASAN
  __sanitizer_start_switch_fiber(nullptr, self->outside_stack_, self->outside_size_);
#endif
#ifdef EMULATE_TSAN
  __tsan_switch_to_fiber(self->outside_calls_, 0);
#endif
  setcontext(&self->outside_);
}

void Fiber::resume() {
#ifdef EMULATE_ASAN
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, static_cast<std::byte*>(memory_) + guard_bytes, stack_bytes);
#endif
#ifdef EMULATE_TSAN
  outside_calls_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(inside_calls_, 0);
#endif
  swapcontext(&outside_, &inside_);
#ifdef EMULATE_ASAN
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#ifdef EMULATE_ASAN
  __sanitizer_start_switch_fiber(&fake_stack_, outside_stack_, outside_size_);
#endif
#ifdef EMULATE_TSAN
  __tsan_switch_to_fiber(outside_calls_, 0);
#endif
  swapcontext(&inside_, &outside_);
#ifdef EMULATE_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &outside_stack_, &outside_size_);
#endif
}

}  // namespace emulate
