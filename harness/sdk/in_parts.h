// in_parts(): a loop shared by threads that end before it returns, to prepare inputs, right answers and
// checks on the host. Header-only, so that workloads in plugins can use it too. Not used while a call is
// timed that depends on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace harness::sdk {

// More threads would only wait for memory.
inline constexpr int most_preparing_threads = 16;

// The number of preparing threads with the caller: those of the machine, at most most_preparing_threads,
// or HARNESS_PREPARING_THREADS (1 to 256), for a shared machine.
inline int preparing_threads() {
  constexpr int most_wanted = 256;
  const char* const wanted = std::getenv("HARNESS_PREPARING_THREADS");
  if (const long threads = wanted == nullptr ? 0 : std::strtol(wanted, nullptr, 10); threads > 0)
    return static_cast<int>(std::min<long>(threads, most_wanted));
  static const int of_machine = static_cast<int>(std::thread::hardware_concurrency());  // reads a file
  return std::clamp(of_machine, 1, most_preparing_threads);
}

// Calls part(first, last) for stretches that cover [0, count), on at most `threads` threads. Each stretch has
// at least `grain` elements if there are several. Results must not depend on where stretches begin, because
// their number depends on the machine. When all have ended, the exception of the first stretch that threw is
// rethrown.
template <class Part>
void in_parts(std::int64_t count, std::int64_t grain, const Part& part, int threads = preparing_threads()) {
  const std::int64_t parts = std::clamp<std::int64_t>(count / std::max<std::int64_t>(grain, 1), 1,
                                                      std::max<std::int64_t>(threads, 1));
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(parts));
  const std::int64_t share = count / parts;
  const std::int64_t longer = count % parts;  // so many stretches have one more
  const auto begin = [&](std::int64_t i) { return i * share + std::min(i, longer); };
  const auto run = [&](std::int64_t i) {
    try {
      part(begin(i), begin(i + 1));
    } catch (...) {
      thrown[static_cast<std::size_t>(i)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(static_cast<std::size_t>(parts - 1));
    std::int64_t next = 1;
    try {
      for (; next < parts; ++next) helpers.emplace_back(run, next);
    } catch (const std::system_error&) {  // no more threads: the rest is done here
    }
    run(0);
    for (; next < parts; ++next) run(next);
  }
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace harness::sdk
