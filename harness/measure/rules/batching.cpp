#include "harness/measure/rules/batching.h"

#include <algorithm>
#include <array>

#include "harness/stats/estimate/slope.h"

#include "harness/measure/case/microseconds.h"

namespace harness {
namespace {

constexpr Seconds longest_batch = 0.3e-3;
constexpr std::array lengths{400, 240, 120, 60, 32, 16, 8};  // each divides into quarters
constexpr double farthest_off_line = 1e3;                    // infinite where the line gives a batch no time

std::optional<stats::Line> line_through(std::span<const int> nodes, std::span<const Seconds> times) {
  const std::vector<double> calls(nodes.begin(), nodes.end());
  return stats::least_squares(calls, times);
}

}  // namespace

std::vector<int> choose_batch_nodes(Seconds call, int most) {
  const auto fits = [&](int length) {
    return length <= most && static_cast<double>(length) * call <= longest_batch;
  };
  const auto found = std::find_if(lengths.begin(), lengths.end(), fits);
  const int longest = found == lengths.end() ? lengths.back() : *found;
  return {longest / 4, longest / 2, longest};
}

std::optional<Seconds> time_of_call(std::span<const int> nodes, std::span<const Seconds> times) {
  const std::optional<stats::Line> line = line_through(nodes, times);
  if (!line || !(line->slope > 0)) return std::nullopt;
  return line->slope;
}

void BatchMeans::add(std::span<const int> nodes, std::span<const Seconds> times) {
  if (count_++ == 0) {
    nodes_.assign(nodes.begin(), nodes.end());
    sums_.assign(nodes.size(), 0);
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += times[i];
}

std::optional<Batching> BatchMeans::summary() const {
  if (count_ == 0) return std::nullopt;
  std::vector<double> means;
  for (const Seconds sum : sums_) means.push_back(sum / count_ * microseconds_per_second);
  const std::optional<stats::Line> line = line_through(nodes_, means);
  if (!line) return std::nullopt;
  return Batching{nodes_, line->intercept, std::min(line->off_line, farthest_off_line)};
}

}  // namespace harness
