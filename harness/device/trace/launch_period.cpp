#include "harness/device/trace/launch_period.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace harness::trace {
namespace {

constexpr double nearly_all = 0.9;
constexpr double least_cover = 0.25;
constexpr std::size_t most_candidates = 24;

using Sequence = std::span<const std::uint32_t>;

// At i: how many elements before the end agree with those i places before them (the Z function of the
// reversed sequence).
std::vector<std::uint32_t> agreement_at_end(Sequence sequence) {
  const std::size_t n = sequence.size();
  const auto at = [&](std::size_t i) { return sequence[n - 1 - i]; };
  std::vector<std::uint32_t> z(n, 0);
  for (std::size_t i = 1, left = 0, right = 0; i < n; ++i) {
    std::size_t length = i < right ? std::min<std::size_t>(right - i, z[i - left]) : 0;
    while (i + length < n && at(length) == at(i + length)) ++length;
    z[i] = static_cast<std::uint32_t>(length);
    if (i + length > right) left = i, right = i + length;
  }
  return z;
}

// Adds the best lengths of repetitions that reach the end: any that covers more than all shorter ones.
void add_lengths_to_end(Sequence sequence, std::vector<std::size_t>& lengths) {
  const std::vector<std::uint32_t> agreement = agreement_at_end(sequence);
  std::size_t most = 0;
  std::vector<std::size_t> found;
  for (std::size_t length = 1; length * fewest_repetitions <= sequence.size(); ++length) {
    const std::size_t covered = length + agreement[length];
    if (covered < length * fewest_repetitions || covered <= most) continue;
    most = covered;
    found.push_back(length);
  }
  const std::size_t first = found.size() - std::min(found.size(), most_candidates);
  lengths.insert(lengths.end(), found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
}

// Adds the distances between equal elements that together span the most. An element that comes once a
// repetition has the length as its distance.
void add_common_distances(Sequence sequence, std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> last;
  std::unordered_map<std::size_t, std::size_t> counts;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (sequence[i] >= last.size()) last.resize(sequence[i] + std::size_t{1}, 0);
    std::size_t& before = last[sequence[i]];  // its place + 1
    if (before > 0) ++counts[i + 1 - before];
    before = i + 1;
  }
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  for (const auto& [distance, count] : counts)
    if (count + 1 >= fewest_repetitions) spans.emplace_back(distance * count, distance);
  const std::size_t kept = std::min(spans.size(), most_candidates);
  std::partial_sort(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(kept), spans.end(),
                    std::greater<>());
  for (std::size_t i = 0; i < kept; ++i) lengths.push_back(spans[i].second);
}

// The longest run of elements that agree with those `length` before them; the last of equal ones.
Period longest_run(Sequence sequence, std::size_t length) {
  std::size_t best = 0, best_end = 0, run = 0;
  for (std::size_t i = length; i < sequence.size(); ++i) {
    run = sequence[i] == sequence[i - length] ? run + 1 : 0;
    if (run >= best && run > 0) best = run, best_end = i + 1;
  }
  const std::size_t count = best == 0 ? 0 : (best + length) / length;
  return {best_end - count * length, length, count};
}

}  // namespace

std::optional<Period> find_period(Sequence sequence) {
  std::vector<std::size_t> lengths;
  add_lengths_to_end(sequence, lengths);
  add_common_distances(sequence, lengths);
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  std::vector<Period> found;
  std::size_t most = 0;
  for (const std::size_t length : lengths) {
    const Period period = longest_run(sequence, length);
    if (period.count < fewest_repetitions) continue;
    most = std::max(most, period.length * period.count);
    found.push_back(period);
  }
  if (static_cast<double>(most) < least_cover * static_cast<double>(sequence.size())) return std::nullopt;
  for (const Period& one : found)
    if (static_cast<double>(one.length * one.count) >= nearly_all * static_cast<double>(most)) return one;
  return std::nullopt;
}

}  // namespace harness::trace
