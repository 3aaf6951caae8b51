#include "harness/verdict/decide/order.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace harness {
namespace {

int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed: return 0;
    case Verdict::regressed: return 1;
    case Verdict::missing: return 2;
    case Verdict::not_comparable: return 3;
    case Verdict::inconclusive: return 4;
    case Verdict::improved: return 5;
    case Verdict::environment: return 6;
    case Verdict::moved: return 7;
    case Verdict::not_worse: return 8;
    case Verdict::unchanged: return 9;
    case Verdict::identical: return 10;
    case Verdict::skipped: return 11;
  }
  return 12;
}

}  // namespace

double deciding_ratio(const ComparisonRow& row) {
  return row.over_places && row.reason.code == ReasonCode::worse_over_places ? row.over_places->ratio
                                                                             : row.ratio;
}

void sort_worst_first(std::vector<ComparisonRow>& rows) {
  // Positive is worse; improvements go by their size instead.
  const auto harm = [](const ComparisonRow& row) {
    const double ratio = deciding_ratio(row);
    if (!(ratio > 0)) return 0.0;
    const double effect = row.direction == Direction::lower_is_better ? std::log(ratio) : -std::log(ratio);
    return row.verdict == Verdict::improved ? -effect : effect;
  };
  struct Key {
    int badness;
    bool decides;
    double harm;
    std::size_t index;
  };
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    keys.push_back({badness(rows[i].verdict), decides(rows[i]), harm(rows[i]), i});
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.badness != b.badness) return a.badness < b.badness;
    if (a.decides != b.decides) return a.decides;
    if (a.harm != b.harm) return a.harm > b.harm;
    const ComparisonRow &one = rows[a.index], &other = rows[b.index];
    if (const int order = one.case_id.compare(other.case_id); order != 0) return order < 0;
    if (const int order = one.metric.compare(other.metric); order != 0) return order < 0;
    return a.index < b.index;
  });
  // Each row goes to its place along the cycles of the permutation, because a second list would double the
  // memory.
  for (std::size_t first = 0; first < keys.size(); ++first) {
    if (keys[first].index == first) continue;
    ComparisonRow held = std::move(rows[first]);
    std::size_t to = first;
    while (keys[to].index != first) {
      const std::size_t from = std::exchange(keys[to].index, to);
      rows[to] = std::move(rows[from]);
      to = from;
    }
    rows[to] = std::move(held);
    keys[to].index = to;
  }
}

}  // namespace harness
