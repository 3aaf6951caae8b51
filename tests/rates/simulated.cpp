#include "simulated.h"

#include <cmath>

#include "rules.h"

namespace harness {
namespace {

Record simulated(std::size_t cases, std::size_t processes, const std::vector<double>& sds,
                 const std::vector<int>& looks, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Record record;
  record.machines["import"] = Machine{"simulated", "GPU-A", {}, {}};
  for (std::size_t i = 0; i < cases; ++i) {
    const bool is_long = i % 2 == 0;
    const double center = std::log(is_long ? 200.0 : 30.0) + 0.0002 * normal(random);
    CaseRecord one;
    one.id = fmt::format("case {}", i);
    one.device = "import";
    one.gate = Gate{is_long ? 0.005 : 0.01, 0.01, {}, looks};
    Series series{"gpu_time", "us", Direction::lower_is_better, {}};
    for (std::size_t p = 1; p <= processes; ++p) {
      ProcessSamples& process = series.processes.emplace_back();
      process.process = static_cast<int>(p);
      process.placements = {Placement{{std::exp(center + sds[i] * normal(random))}}};
    }
    one.series.push_back(std::move(series));
    record.cases.push_back(std::move(one));
  }
  return record;
}

}  // namespace

std::vector<Count> simulated_rates(const Simulated& setup, std::size_t suite, std::size_t trials,
                                   std::uint64_t seed) {
  return repeat(trials, seed, 2, [&](std::mt19937_64& random) {
    std::chi_squared_distribution<double> chi(16);
    std::vector<double> sds;
    for (std::size_t i = 0; i < suite; ++i)
      sds.push_back((i % 2 == 0 ? 0.0015 : 0.004) * std::sqrt(16 / chi(random)));
    const Record before = simulated(suite, setup.baseline, sds, {}, random);
    const Record after = simulated(suite, setup.processes, sds, setup.looks, random);
    const Called called = of_policy(Policy{})(before, after);
    return std::vector<Count>{{called.slower.empty() ? std::size_t{0} : 1, 1}, {called.undecided, suite}};
  });
}

}  // namespace harness
