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

// What `ask` returns, once that is no ErrorKind::environment, or after `patience`, or at a signal.
template <class Ask>
auto ask_patiently(Seconds patience, Ask ask) -> decltype(ask()) {
  constexpr Seconds between_tries = 1;
  const auto begin = std::chrono::steady_clock::now();
  for (bool told = false;; told = true) {
    auto answer = ask();
    if (answer || answer.error().kind != ErrorKind::environment || seconds_since(begin) >= patience ||
        InterruptGuard::interrupted())
      return answer;
    if (!told) fmt::print(stderr, "waiting for the store: {}\n", answer.error().text());
    rest(between_tries);
  }
}

}  // namespace harness
