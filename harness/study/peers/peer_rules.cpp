#include "harness/study/peers/peer_rules.h"

#include <algorithm>
#include <span>

#include "harness/stats/estimate/estimator.h"
#include "harness/stats/hypothesis/welch.h"

namespace harness::peers {
namespace {

constexpr std::size_t resamples = 1000;  // of criterion

Timed timed(const ProcessSamples& process) {
  Timed run;
  for (const Placement& placement : process.placements) {
    run.times.insert(run.times.end(), placement.samples.begin(), placement.samples.end());
    if (placement.clock_ghz > 0)
      run.clocks.insert(run.clocks.end(), placement.samples.size(), placement.clock_ghz);
  }
  if (run.clocks.size() != run.times.size()) run.clocks.clear();
  return run;
}

// The means of `count` parts of the samples, or the samples where they are fewer.
Values means_of_parts(const Values& samples, std::size_t count) {
  const std::size_t size = samples.size() / count;
  if (size == 0) return samples;
  Values means;
  for (std::size_t i = 0; i < count; ++i)
    means.push_back(stats::mean(std::span(samples).subspan(i * size, size)));
  return means;
}

Values means_of_processes(const Series& series) {
  Values means;
  for (const ProcessSamples& process : series.processes) means.push_back(stats::mean(timed(process).times));
  return means;
}

Values all_samples(const Series& series, bool tukey) {
  Values all;
  for (const ProcessSamples& process : series.processes) {
    const Values times = timed(process).times;
    all.insert(all.end(), times.begin(), times.end());
  }
  if (!tukey) return all;
  const stats::Fences fences = stats::tukey_fences(all);
  std::erase_if(all, [&](double sample) { return sample < fences.mild_low || sample > fences.mild_high; });
  return all;
}

using OfCase = std::function<Call(const Series& before, const Series& after)>;

OfCase welch_rule(bool tukey, double least_change) {
  return [=](const Series& before, const Series& after) {
    const RawWelch test = raw_welch(before, after, tukey);
    if (test.p >= 0.05) return Call::same;
    return test.change > least_change    ? Call::slower
           : test.change < -least_change ? Call::faster
                                         : Call::same;
  };
}

OfCase one_process(Call (*rule)(const Timed&, const Timed&)) {
  return [rule](const Series& before, const Series& after) {
    return rule(timed(before.processes.front()), timed(after.processes.front()));
  };
}

Call google_of_nine(const Series& before, const Series& after) {
  const auto repetitions = [](const Series& series) {
    return series.processes.size() > 1 ? means_of_processes(series)
                                       : means_of_parts(timed(series.processes.front()).times, 9);
  };
  return google_benchmark(repetitions(before), repetitions(after)).call;
}

Call criterion_of_parts(const Series& before, const Series& after) {
  const auto parts = [](const Series& series) {
    return means_of_parts(timed(series.processes.front()).times, 100);
  };
  return criterion(parts(before), parts(after), resamples, 1);
}

Call asv_of_two(const Series& before, const Series& after) {
  const auto rounds = [](const Series& series) {
    Values all;
    for (const ProcessSamples& process : series.processes)
      for (const double mean : means_of_parts(timed(process).times, 10)) all.push_back(mean);
    return all;
  };
  return asv(rounds(before), rounds(after));
}

// A change point in the series of all runs, at most two runs before the first new one, and to the worse.
Call otava_of_series(const Series& before, const Series& after) {
  Values series = means_of_processes(before);
  const std::size_t first_new = series.size();
  for (const double value : means_of_processes(after)) series.push_back(value);
  for (const std::size_t point : otava(series))
    if (point + 2 >= first_new &&
        stats::mean(std::span(series).subspan(point)) > stats::mean(std::span(series).first(point)))
      return Call::slower;
  return Call::same;
}

}  // namespace

RawWelch raw_welch(const Series& before, const Series& after, bool tukey) {
  const Values old = all_samples(before, tukey), now = all_samples(after, tukey);
  const auto test = stats::welch(old, now);
  if (!test) return {};
  return {2 * std::min(test->p_above(0), test->p_below(0)), test->difference / stats::mean(old)};
}

std::vector<PeerRule> peer_rules() {
  return {
      {Peer::welch, 5, 5, false, 0, welch_rule(false, 0)},
      {Peer::tukey_welch, 5, 5, false, 0, welch_rule(true, 0.01)},
      {Peer::nvbench_legacy, 1, 1, true, 0, one_process(nvbench_legacy)},
      {Peer::nvbench_robust, 1, 1, true, 0, one_process(nvbench_robust)},
      {Peer::google_benchmark, 1, 1, true, 9, google_of_nine},
      {Peer::criterion, 1, 1, true, 0, criterion_of_parts},
      {Peer::asv, 2, 2, true, 0, asv_of_two},
      {Peer::github_action_benchmark, 1, 1, false, 0,
       [](const Series& before, const Series& after) {
         return ratio(means_of_processes(before).front(), means_of_processes(after).front());
       }},
      {Peer::bencher, 20, 1, false, 0,
       [](const Series& before, const Series& after) {
         return bencher(means_of_processes(before), means_of_processes(after).front());
       }},
      {Peer::otava, 20, 4, false, 0, otava_of_series},
  };
}

}  // namespace harness::peers
