#include "harness/study/peers/peer_rates.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "harness/stats/estimate/random.h"
#include "harness/study/peers/peer_rules.h"
#include "harness/verdict/case_rows.h"
#include "harness/verdict/decide/gates.h"

namespace harness {
namespace {

// A series of which more is slower, whatever its unit.
Series as_times(const Series& series) {
  Series times = series;
  if (series.direction == Direction::lower_is_better) return times;
  for (ProcessSamples& process : times.processes)
    for (Placement& placement : process.placements)
      for (double& sample : placement.samples) sample = 1 / sample;
  return times;
}

bool can_be_split(const Series& series, std::size_t processes) {
  const auto is_positive = [](const Placement& placement) {
    return !placement.samples.empty() &&
           std::all_of(placement.samples.begin(), placement.samples.end(), [](double x) { return x > 0; });
  };
  return series.processes.size() >= processes &&
         std::all_of(series.processes.begin(), series.processes.end(), [&](const ProcessSamples& process) {
           return !process.placements.empty() &&
                  std::all_of(process.placements.begin(), process.placements.end(), is_positive);
         });
}

std::vector<Series> deciding_series(const Record& record, std::size_t processes) {
  std::vector<Series> all;
  for (const CaseRecord& one : record.cases) {
    if (one.outcome != Outcome::measured) continue;
    for (const Series& series : one.series) {
      const RowGate gate = gate_of(one.gate, series.metric, Policy{});
      if (is_compared(series, one, one) && !gate.informative && gate.unit.empty() && gate.margin > 0 &&
          can_be_split(series, processes))
        all.push_back(as_times(series));
    }
  }
  return all;
}

Series part(const Series& series, std::span<const std::size_t> chosen) {
  Series side{series.metric, series.unit, Direction::lower_is_better, {}};
  for (const std::size_t place : chosen) side.processes.push_back(series.processes[place]);
  return side;
}

// The processes that a rule takes of a half; none where the samples do not suffice for it: too few calls of a
// process, or no clocks.
std::optional<std::size_t> processes_taken(const peers::PeerRule& rule, const std::vector<Series>& all,
                                           std::size_t half) {
  constexpr std::size_t least_calls = 10;
  bool has_calls = true, has_clocks = true;
  for (const Series& series : all)
    for (const ProcessSamples& process : series.processes) {
      std::size_t calls = 0;
      for (const Placement& placement : process.placements) {
        calls += placement.samples.size();
        has_clocks = has_clocks && placement.clock_ghz > 0;
      }
      has_calls = has_calls && calls >= least_calls;
    }
  if (rule.peer == Peer::nvbench_robust && !has_clocks) return {};
  if (!rule.calls || has_calls) return std::min(rule.before, half);
  if (rule.repetitions > 0 && rule.repetitions <= half) return rule.repetitions;
  return {};
}

bool any_slower(const peers::PeerRule& rule, const std::vector<Series>& all, std::size_t before,
                std::size_t after, std::size_t half, std::uint64_t seed) {
  stats::Random random(seed);
  std::vector<std::size_t> order(2 * half);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  const std::span<const std::size_t> places(order);
  return std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return rule.call(part(series, places.first(before)), part(series, places.subspan(half, after))) ==
           peers::Call::slower;
  });
}

}  // namespace

std::vector<PeerRate> peer_rates(const Record& record, int processes, std::size_t splits,
                                 std::uint64_t seed) {
  const auto half = static_cast<std::size_t>(std::max(processes, 0));
  const std::vector<Series> all = deciding_series(record, 2 * half);
  std::vector<PeerRate> rates;
  if (half == 0 || all.empty()) return rates;
  for (const peers::PeerRule& rule : peers::peer_rules()) {
    const std::optional<std::size_t> taken = processes_taken(rule, all, half);
    if (!taken) continue;
    const std::size_t before = *taken, after = std::min(std::max(rule.after, rule.calls ? *taken : 0), half);
    std::atomic<std::size_t> next = 0, hits = 0;
    const auto work = [&] {
      for (std::size_t split = next++; split < splits; split = next++)
        if (any_slower(rule, all, before, after, half, seed + split)) ++hits;
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        threads.emplace_back(work);
    }
    PeerRate rate{rule.peer, static_cast<int>(before), static_cast<int>(after), {}};
    rate.red.hits = hits;
    rate.red.trials = splits;
    rates.push_back(rate);
  }
  return rates;
}

}  // namespace harness
