// Fiber: a function with a stack of its own that can stop in the middle and go on later, which is what a
// CUDA thread is here. Owns the stack (with a page below it that may not be touched, so that an overflow
// crashes instead of corrupting). Sanitizers are told of every switch. A fiber and its resumer belong to one
// thread of the CPU.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace emulate {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares to run `body`, which must not throw. The stack of an unfinished body is forgotten, not
  // destroyed.
  void start(std::function<void()> body);

  // From outside: runs until the body suspends or ends. From inside: back to the resumer.
  void resume();
  void suspend();

  [[nodiscard]] bool done() const { return done_; }

 private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body_;
  void* memory_ = nullptr;
  ucontext_t inside_ = {};
  ucontext_t outside_ = {};
  bool done_ = true;
  // What AddressSanitizer wants to know of a switch: the other stack.
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] const void* outside_stack_ = nullptr;
  [[maybe_unused]] std::size_t outside_size_ = 0;
  // What ThreadSanitizer keeps of either side, its list of calls above all.
  [[maybe_unused]] void* inside_calls_ = nullptr;
  [[maybe_unused]] void* outside_calls_ = nullptr;
};

}  // namespace emulate
