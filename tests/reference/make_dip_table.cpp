// Writes harness/stats/spread/dip_table.h: quantiles of the dip of uniform values, from a million samples of
// each size. Takes some minutes. From the root of the tree:
//
//   g++ -std=c++20 -O2 -I. tests/reference/make_dip_table.cpp harness/stats/spread/dip.cpp -o make_dip_table
//   ./make_dip_table > harness/stats/spread/dip_table.h && clang-format -i harness/stats/spread/dip_table.h
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "harness/stats/dip.h"
#include "harness/stats/random.h"

namespace {

const std::vector<std::size_t> counts{4,  5,  6,  7,  8,  9,   10,  12,  15,  20,
                                      25, 30, 40, 50, 70, 100, 200, 500, 1000};
const std::vector<double> tails{0.9,  0.7,   0.5,   0.3,   0.2,    0.1,    0.05,  0.02,
                                0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001};
constexpr std::size_t samples = 1'000'000;

std::vector<double> dips_of_uniform(std::size_t count) {
  harness::stats::Random random(count);
  std::vector<double> values(count), dips(samples);
  for (double& one : dips) {
    for (double& value : values) value = random.uniform();
    std::sort(values.begin(), values.end());
    one = harness::stats::dip(values);
  }
  std::sort(dips.begin(), dips.end(), std::greater<>());
  return dips;
}

}  // namespace

int main() {
  std::printf(
      "// Quantiles of sqrt(n) times the dip of n uniform values, by simulation of %zu samples of each n.\n"
      "// Written by tests/reference/make_dip_table.cpp.\n"
      "#pragma once\n\n#include <cstddef>\n\nnamespace harness::stats {\n\n",
      samples);
  std::printf("inline constexpr double dip_tails[] = {");
  const char* separator = "";
  for (const double tail : tails) {
    std::printf("%s%g", separator, tail);
    separator = ", ";
  }
  std::printf(
      "};\n\nstruct DipRow {\n  std::size_t count;\n  double exceeded[%zu];  // with each of these "
      "probabilities\n};\n\ninline constexpr DipRow dip_table[] = {\n",
      tails.size());
  for (const std::size_t count : counts) {
    const std::vector<double> dips = dips_of_uniform(count);
    std::printf("{%zu, {", count);
    separator = "";
    for (const double tail : tails) {
      const double at = dips[static_cast<std::size_t>(tail * static_cast<double>(samples))];
      std::printf("%s%.5f", separator, std::sqrt(static_cast<double>(count)) * at);
      separator = ", ";
    }
    std::printf("}},\n");
  }
  std::printf("};\n\n}  // namespace harness::stats\n");
}
