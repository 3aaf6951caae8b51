#include "simulated.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/hypothesis/welch.h"
#include "harness/verdict/read/process_values.h"
#include "rules.h"

namespace harness {
namespace {

Record simulated(const std::vector<CaseShape>& shapes, std::size_t processes, const std::vector<int>& looks,
                 std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Record record;
  record.machines["import"] = Machine{"simulated", "GPU-A", {}, {}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double center = std::log(shapes[i].us) + 0.0002 * normal(random);
    CaseRecord one;
    one.id = fmt::format("case {}", i);
    one.device = "import";
    one.gate = Gate{shapes[i].margin, 0.01, {}, looks};
    Series series{"gpu_time", "us", Direction::lower_is_better, {}};
    for (std::size_t p = 1; p <= processes; ++p) {
      ProcessSamples& process = series.processes.emplace_back();
      process.process = static_cast<int>(p);
      process.placements = {Placement{{std::exp(center + shapes[i].sd * normal(random))}}};
    }
    one.series.push_back(std::move(series));
    record.cases.push_back(std::move(one));
  }
  return record;
}

constexpr double long_us = 100;

void slow_down(CaseRecord& slowed, double change) {
  for (ProcessSamples& process : slowed.series.front().processes)
    for (Placement& placement : process.placements)
      for (double& sample : placement.samples) sample *= 1 + change;
}

}  // namespace

std::vector<Count> simulated_rates(const Simulated& setup, std::size_t suite, std::size_t trials,
                                   std::uint64_t seed) {
  return repeat(trials, seed, 2, [&](std::mt19937_64& random) {
    std::chi_squared_distribution<double> chi(16);
    std::vector<CaseShape> shapes;
    for (std::size_t i = 0; i < suite; ++i) {
      const double factor = std::sqrt(16 / chi(random));
      shapes.push_back(i % 2 == 0 ? CaseShape{200, 0.0015 * factor, 0.005}
                                  : CaseShape{30, 0.004 * factor, 0.01});
    }
    const Record before = simulated(shapes, setup.baseline, {}, random);
    const Record after = simulated(shapes, setup.processes, setup.looks, random);
    const Called called = of_policy(Policy{})(before, after);
    return std::vector<Count>{{called.slower.empty() ? std::size_t{0} : 1, 1},
                              {called.undecided.size(), suite}};
  });
}

std::vector<CaseShape> shapes_of(const Record& record) {
  std::vector<CaseShape> shapes;
  for (const CaseRecord& one : record.cases)
    for (const Series& series : one.series) {
      if (series.metric != "gpu_time" || series.processes.size() < 2) continue;
      std::vector<double> logs = process_values(series);
      for (double& value : logs) value = std::log(value);
      const stats::Moments moments = stats::moments(logs);
      shapes.push_back({std::exp(moments.mean), std::sqrt(moments.variance), 0.005});
    }
  return shapes;
}

std::vector<Count> rates_of_shapes(const std::vector<CaseShape>& shapes, const Simulated& setup,
                                   std::size_t suite, double change, std::size_t trials, std::uint64_t seed) {
  return repeat(trials, seed, 4, [&](std::mt19937_64& random) {
    std::vector<CaseShape> drawn;
    for (std::size_t i = 0; i < suite; ++i) drawn.push_back(shapes[random() % shapes.size()]);
    const Record before = simulated(drawn, setup.baseline, {}, random);
    Record after = simulated(drawn, setup.processes, setup.looks, random);
    const Slower rule = of_policy(Policy{});
    const Called unchanged = rule(before, after);
    const std::size_t place = random() % suite;
    slow_down(after.cases[place], change);
    const Called called = rule(before, after);
    const std::size_t found =
        std::count(called.slower.begin(), called.slower.end(), after.cases[place].id) > 0 ? 1 : 0;
    const bool is_long = drawn[place].us >= long_us;
    return std::vector<Count>{{unchanged.slower.empty() ? std::size_t{0} : 1, 1},
                              {unchanged.undecided.size(), suite},
                              {is_long ? found : 0, is_long ? std::size_t{1} : 0},
                              {is_long ? 0 : found, is_long ? std::size_t{0} : 1}};
  });
}

}  // namespace harness
