// ask_patiently: asks a store again and again while it is away.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "harness/base/result.h"
#include "harness/base/units.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {

// Ends early at a signal.
inline void rest(Seconds duration) {
  const auto begin = std::chrono::steady_clock::now();
  while (seconds_since(begin) < duration && !InterruptGuard::interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// What `ask` returns, once that is no ErrorKind::away, or after `patience`, or at a signal. Says once a
// minute what it waits for.
template <class Ask>
auto ask_patiently(Seconds patience, Ask ask) -> decltype(ask()) {
  constexpr Seconds between_tries = 1, between_words = 60;
  const auto begin = std::chrono::steady_clock::now();
  Seconds told = -between_words;
  while (true) {
    auto answer = ask();
    const Seconds waited = seconds_since(begin);
    if (answer || answer.error().kind != ErrorKind::away || waited >= patience ||
        InterruptGuard::interrupted())
      return answer;
    if (waited - told >= between_words) {
      fmt::print(stderr, "waiting for the store, for {:.0f} s of at most {:.0f} s: {}\n", waited, patience,
                 answer.error().text());
      told = waited;
    }
    rest(between_tries);
  }
}

}  // namespace harness
