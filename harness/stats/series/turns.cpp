#include "harness/stats/series/turns.h"

#include <random>

namespace harness::stats {

bool current_first(int process, std::uint64_t seed) {
  std::seed_seq seeds{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>((process - 1) / 2)};
  std::mt19937_64 random(seeds);
  const bool turned = random() % 2 == 1;  // the block begins with the current build
  return turned == (process % 2 == 1);
}

}  // namespace harness::stats
