#include "harness/study/simulate.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "harness/model/device_kinds.h"
#include "harness/stats/estimate/random.h"

namespace harness {
namespace {

constexpr double center = 20;         // us
constexpr double process_sd = 0.003;  // of logs, as on GPUs
constexpr double sample_sd = 0.01;
constexpr double skewed_sd = 0.2;
constexpr double modes[] = {22.5, 25.5};  // us
constexpr double rho = 0.9;
constexpr double tail_share = 0.1, tail_factor = 1.5;
constexpr double drift_over_run = 0.03;
constexpr int scatter_freedom = 8;  // of the chi-squared that sds scatter by
constexpr double noisy_factor = 5;

std::size_t samples_of(Noise noise) {
  if (noise == Noise::autoregressive) return 16;
  // With this many samples, a quarter of them is hardly ever slow. Fences fail there.
  return noise == Noise::slow_tail ? 32 : 8;
}

// The log center of the samples of one process.
double draw_center(Noise noise, double scale, stats::Random& random) {
  double log_center = std::log(noise == Noise::bimodal ? modes[random.below(2)] : center);
  return log_center + scale * process_sd * random.normal();
}

// The factor on the process sd of the case at `index`.
double scale_of(Noise noise, std::size_t index, stats::Random& random) {
  if (noise != Noise::scattered) return 1;
  double chi = 0;
  for (int i = 0; i < scatter_freedom; ++i) {
    const double one = random.normal();
    chi += one * one;
  }
  return std::sqrt(scatter_freedom / chi) * (index == 0 ? noisy_factor : 1);
}

void draw_samples(Noise noise, double log_center, std::vector<double>& samples, stats::Random& random) {
  double state = random.normal();
  for (double& sample : samples) {
    double log_sample = log_center;
    if (noise == Noise::autoregressive) {
      log_sample += sample_sd * state;
      state = rho * state + std::sqrt(1 - rho * rho) * random.normal();
    } else {
      log_sample += (noise == Noise::lognormal ? skewed_sd : sample_sd) * random.normal();
    }
    if (noise == Noise::slow_tail && random.uniform() < tail_share) log_sample += std::log(tail_factor);
    sample = std::exp(log_sample);
  }
}

// Where in the run, from 0 to 1, a process stood: sides take turns A B B A.
double place_in_run(int process, bool current, int processes) {
  const bool swapped = process % 2 == 1;
  return static_cast<double>(2 * process + (current != swapped ? 1 : 0)) / (2.0 * processes);
}

Record empty_record(Noise noise, const MeasuringPlan& plan, bool current, int deciding, int alone) {
  Record record;
  record.suite.name = "simulated";
  const bool other_device = noise == Noise::devices && current;
  record.machines[std::string(cuda_kind.name)] =
      Machine{"simulated", other_device ? "GPU-B" : "GPU-A", {}, {}};
  if (plan.shared)
    record.pairing = Pairing{"simulated", Pairing::Kind::process};
  else if (noise == Noise::drift)
    record.pairing = Pairing{"simulated", Pairing::Kind::session};
  for (int i = 0; i < deciding + alone; ++i) {
    CaseRecord one;
    one.id = fmt::format("case {}", i);
    one.device = cuda_kind.name;
    one.gate.looks = plan.looks;
    if (i >= deciding)
      one.gate.metrics.push_back({std::string(cuda_kind.time_metric), std::nullopt, std::nullopt, true});
    Series series{std::string(cuda_kind.time_metric), "us", Direction::lower_is_better, {}};
    for (int p = 1; p <= (current ? plan.processes : plan.before()); ++p) {
      series.processes.push_back({p, {Placement{}}});
      series.processes.back().placements.front().samples.resize(samples_of(noise));
      one.processes.push_back({one.id, p, Outcome::measured, {}, {}, {}, {}});
    }
    one.series.push_back(std::move(series));
    record.cases.push_back(std::move(one));
  }
  return record;
}

}  // namespace

Simulator::Simulator(Noise noise, MeasuringPlan plan, int deciding, int alone)
    : noise_(noise),
      plan_(std::move(plan)),
      deciding_(deciding),
      pair_{empty_record(noise, plan_, false, deciding, alone),
            empty_record(noise, plan_, true, deciding, alone)} {}

bool Simulator::is_shaped(int index) const {
  return noise_ != Noise::bimodal || index == 0 || index == deciding_;
}

Policy Simulator::policy() const {
  Policy policy;
  policy.allow_other_device = noise_ == Noise::devices;
  return policy;
}

const SimulatedPair& Simulator::draw(double change, std::uint64_t seed) {
  stats::Random random(seed);
  const Policy assumed;
  for (std::size_t i = 0; i < pair_.baseline.cases.size(); ++i) {
    const Noise noise = is_shaped(static_cast<int>(i)) ? noise_ : Noise::normal;
    double offsets[] = {0, std::log1p(change)};  // of the sides
    for (double& offset : offsets) {
      if (noise == Noise::sessions || noise == Noise::devices) offset += assumed.session_sd * random.normal();
      if (noise == Noise::devices) offset += assumed.device_sd * random.normal();
    }
    if (plan_.shared) offsets[1] = offsets[0] + std::log1p(change);
    std::vector<ProcessSamples>& before = pair_.baseline.cases[i].series.front().processes;
    std::vector<ProcessSamples>& after = pair_.current.cases[i].series.front().processes;
    const double scale = scale_of(noise, i, random);
    for (int p = 0; p < plan_.before(); ++p) {
      double centers[] = {draw_center(noise, scale, random), draw_center(noise, scale, random)};
      if (plan_.shared) centers[1] = centers[0];
      for (const bool current : {false, true}) {
        if (current && p >= plan_.processes) continue;
        double log_center = centers[current] + offsets[current];
        if (noise == Noise::drift)
          log_center += drift_over_run * place_in_run(p, current && !plan_.shared, plan_.processes);
        const auto at = static_cast<std::size_t>(p);
        draw_samples(noise, log_center, (current ? after : before)[at].placements.front().samples, random);
      }
    }
  }
  return pair_;
}

double unavoidable(Noise noise, const MeasuringPlan& plan) {
  if (noise != Noise::bimodal || plan.shared) return 0;
  const int fewest = plan.looks.empty() ? plan.processes : plan.looks.front();
  return std::ldexp(1.0, -2 * fewest);
}

}  // namespace harness
