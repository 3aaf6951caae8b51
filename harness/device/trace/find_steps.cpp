#include "harness/device/trace/find_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "harness/device/trace/launch_period.h"

namespace harness::trace {
namespace {

// Streams that launch less than this share of the time may differ from step to step.
constexpr double small_share = 0.05;

// Numbers kernels by name, grid and block.
std::vector<std::uint32_t> keys_of(const std::vector<Shape>& shapes) {
  std::map<std::tuple<std::string, std::array<std::int64_t, 3>, std::array<std::int64_t, 3>>, std::uint32_t>
      known;
  std::vector<std::uint32_t> keys;
  for (const Shape& one : shapes)
    keys.push_back(known.try_emplace({one.name, one.grid, one.block}, known.size()).first->second);
  return keys;
}

void take_all(const ProcessTrace& trace, FoundSteps& found) {
  Step& step = found.steps.emplace_back();
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) step.launches.push_back(i);
  for (std::uint32_t i = 0; i < trace.transfers.size(); ++i) step.transfers.push_back(i);
}

// The launches of one stream, or of all.
struct Lane {
  std::vector<std::uint32_t> launches;
  std::uint64_t busy = 0;  // ns
};

std::optional<Period> period_of(const ProcessTrace& trace, const Lane& lane,
                                const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint32_t> sequence;
  sequence.reserve(lane.launches.size());
  for (const std::uint32_t i : lane.launches) sequence.push_back(keys[trace.launches[i].shape]);
  return find_period(sequence);
}

void append(const Lane& lane, const Period& period, std::vector<Step>& steps) {
  for (std::size_t i = 0; i < period.count; ++i) {
    const auto begin = lane.launches.begin() + static_cast<std::ptrdiff_t>(period.begin + i * period.length);
    steps[i].launches.insert(steps[i].launches.end(), begin,
                             begin + static_cast<std::ptrdiff_t>(period.length));
  }
}

// Streams that several threads feed are in no common order, so each has its own period. All must repeat
// equally often. False where all streams together have steps that cover as much.
bool take_lanes(const ProcessTrace& trace, const std::vector<std::uint32_t>& keys,
                std::size_t covered_together, FoundSteps& found) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lane> lanes;
  std::uint64_t busy = 0;
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    const Launch& one = trace.launches[i];
    Lane& lane = lanes[{one.device, one.stream}];
    lane.launches.push_back(i);
    lane.busy += one.end - one.start;
    busy += one.end - one.start;
  }
  if (lanes.size() < 2) return false;
  std::vector<std::pair<const Lane*, Period>> periods;
  for (const auto& [stream, lane] : lanes) {
    if (const auto period = period_of(trace, lane, keys))
      periods.emplace_back(&lane, *period);
    else if (static_cast<double>(lane.busy) > small_share * static_cast<double>(busy))
      return false;
  }
  std::size_t covered = 0;
  for (const auto& [lane, period] : periods) {
    if (period.count != periods.front().second.count) return false;
    covered += period.length * period.count;
  }
  if (covered <= covered_together) return false;
  found.steps.resize(periods.front().second.count);
  for (const auto& [lane, period] : periods) {
    append(*lane, period, found.steps);
    found.period += period.length;
  }
  for (Step& step : found.steps) std::sort(step.launches.begin(), step.launches.end());
  return true;
}

bool take_periods(const ProcessTrace& trace, FoundSteps& found) {
  const std::vector<std::uint32_t> keys = keys_of(trace.shapes);
  Lane all;
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) all.launches.push_back(i);
  const auto period = period_of(trace, all, keys);
  if (take_lanes(trace, keys, period ? period->length * period->count : 0, found)) return true;
  if (!period) return false;
  found.period = period->length;
  found.steps.resize(period->count);
  append(all, *period, found.steps);
  return true;
}

// Where the host's calls were counted they tell what is in a range, else the device's times do.
void take_ranges(const ProcessTrace& trace, const std::string& name, FoundSteps& found) {
  for (const Range& range : trace.ranges) {
    if (range.name != name) continue;
    Step step;
    if (range.last > 0) {
      const auto after = [&](std::uint32_t correlation) {
        return std::upper_bound(
                   trace.launches.begin(), trace.launches.end(), correlation,
                   [](std::uint32_t value, const Launch& one) { return value < one.correlation; }) -
               trace.launches.begin();
      };
      for (auto i = after(range.first); i < after(range.last); ++i)
        step.launches.push_back(static_cast<std::uint32_t>(i));
    } else {
      for (std::uint32_t i = 0; i < trace.launches.size(); ++i)
        if (trace.launches[i].start >= range.begin && trace.launches[i].start < range.end)
          step.launches.push_back(i);
    }
    if (!step.launches.empty()) found.steps.push_back(std::move(step));
  }
}

// A copy belongs to the step of the launch before it, and what comes before the first step to none. After the
// last step as many count as after the one before. False where there are fewer.
bool add_transfers(const ProcessTrace& trace, std::vector<Step>& steps) {
  const auto correlation = [&](std::uint32_t launch) { return trace.launches[launch].correlation; };
  std::size_t i = 0, trailing = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::uint32_t first = correlation(steps[s].launches.front());
    const std::uint32_t last = correlation(steps[s].launches.back());
    const bool is_last = s + 1 == steps.size();
    const std::uint32_t next = is_last ? last : correlation(steps[s + 1].launches.front());
    while (i < trace.transfers.size() && trace.transfers[i].correlation < first) ++i;
    std::size_t behind = 0;
    for (; i < trace.transfers.size(); ++i) {
      const std::uint32_t own = trace.transfers[i].correlation;
      if (own > last) {
        if (is_last ? behind == trailing : own >= next) break;
        ++behind;
      }
      steps[s].transfers.push_back(static_cast<std::uint32_t>(i));
    }
    if (is_last && s > 0 && behind < trailing) return false;
    trailing = behind;
  }
  return true;
}

void count_the_rest(const ProcessTrace& trace, FoundSteps& found) {
  if (found.steps.empty()) return;
  std::size_t inside = 0;
  for (const Step& step : found.steps) inside += step.launches.size();
  found.before = found.steps.front().launches.front();
  found.after = trace.launches.size() - 1 - found.steps.back().launches.back();
  const std::size_t rest = found.before + inside + found.after;
  found.between = trace.launches.size() > rest ? trace.launches.size() - rest : 0;
}

}  // namespace

FoundSteps find_steps(const ProcessTrace& trace, const StepRule& rule) {
  FoundSteps found;
  if (trace.launches.empty()) return found;
  if (rule.source == StepSource::nvtx) {
    found.source = StepSource::nvtx;
    take_ranges(trace, rule.range, found);
  } else if (rule.source == StepSource::period && take_periods(trace, found)) {
    found.source = StepSource::period;
  } else {
    take_all(trace, found);
    return found;
  }
  found.cut = !add_transfers(trace, found.steps);
  count_the_rest(trace, found);
  return found;
}

}  // namespace harness::trace
