// Repeats a random trial on all cores and counts what comes out. One seed a trial, so the counts do not
// depend on the number of threads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/stats/hypothesis/proportion.h"

namespace harness {

inline constexpr double confidence = 0.99;

struct Count {
  std::size_t hits = 0;
  std::size_t trials = 0;

  [[nodiscard]] std::string text() const {
    if (trials == 0) return "-";
    const stats::Bounds bounds = stats::clopper_pearson(hits, trials, confidence);
    const auto percent = [](double share) {
      return fmt::format("{:.{}f}", share * 100, share > 0 && share < 0.01 ? (share < 0.001 ? 3 : 2) : 1);
    };
    return fmt::format("{} % [{}, {}]", percent(static_cast<double>(hits) / static_cast<double>(trials)),
                       percent(bounds.lo), percent(bounds.hi));
  }
};

// Runs `trial(random)` once a split. Each adds to counts of its own.
template <class Trial>
std::vector<Count> repeat(std::size_t splits, std::uint64_t seed, std::size_t counts, Trial trial) {
  std::vector<std::atomic<std::size_t>> hits(counts), trials(counts);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned core = 0; core < cores; ++core)
    threads.emplace_back([&] {
      for (std::size_t split = next++; split < splits; split = next++) {
        std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(split)};
        std::mt19937_64 random(seeds);
        const std::vector<Count> mine = trial(random);
        for (std::size_t i = 0; i < counts; ++i) {
          hits[i] += mine[i].hits;
          trials[i] += mine[i].trials;
        }
      }
    });
  threads.clear();
  std::vector<Count> sums(counts);
  for (std::size_t i = 0; i < counts; ++i) sums[i] = {hits[i], trials[i]};
  return sums;
}

}  // namespace harness
