#include "scores.h"

#include <algorithm>

namespace harness {
namespace {

constexpr std::size_t margin = 5, tolerance = 2;

std::size_t distance(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

// How many of `labels`, in order, have a change point of their own within the margin: the nearest that is
// left.
std::size_t matched(const Places& labels, Places found) {
  std::size_t count = 0;
  for (const std::size_t label : labels) {
    auto nearest = found.end();
    for (auto at = found.begin(); at != found.end(); ++at)
      if (distance(*at, label) <= margin &&
          (nearest == found.end() || distance(*at, label) < distance(*nearest, label)))
        nearest = at;
    if (nearest == found.end()) continue;
    found.erase(nearest);
    ++count;
  }
  return count;
}

struct Segment {
  std::size_t from, to;
};

std::vector<Segment> segments(const Places& points, std::size_t values) {
  std::vector<Segment> all;
  std::size_t from = 0;
  for (const std::size_t point : points)
    if (point > from && point < values) {
      all.push_back({from, point});
      from = point;
    }
  all.push_back({from, values});
  return all;
}

double jaccard(const Segment& a, const Segment& b) {
  const std::size_t from = std::max(a.from, b.from), to = std::min(a.to, b.to);
  if (from >= to) return 0;
  return static_cast<double>(to - from) /
         static_cast<double>(std::max(a.to, b.to) - std::min(a.from, b.from));
}

}  // namespace

double f1_score(const std::vector<Places>& annotators, const Places& found) {
  Places mine = found, all{0};
  mine.insert(0);
  double recall = 0;
  for (const Places& labels : annotators) {
    Places with_start = labels;
    with_start.insert(0);
    all.insert(labels.begin(), labels.end());
    recall += static_cast<double>(matched(with_start, mine)) / static_cast<double>(with_start.size());
  }
  recall /= static_cast<double>(annotators.size());
  const double precision = static_cast<double>(matched(all, mine)) / static_cast<double>(mine.size());
  return 2 * precision * recall / (precision + recall);
}

double cover_score(const std::vector<Places>& annotators, const Places& found, std::size_t values) {
  const std::vector<Segment> mine = segments(found, values);
  double sum = 0;
  for (const Places& labels : annotators)
    for (const Segment& segment : segments(labels, values)) {
      double best = 0;
      for (const Segment& one : mine) best = std::max(best, jaccard(segment, one));
      sum += best * static_cast<double>(segment.to - segment.from);
    }
  return sum / static_cast<double>(values) / static_cast<double>(annotators.size());
}

void Tally::add(const std::vector<Planted>& changes, const Places& points) {
  const auto near = [](const Planted& change, std::size_t point) {
    return point + tolerance >= change.first && point <= change.last + tolerance;
  };
  found += points.size();
  planted += changes.size();
  for (const std::size_t point : points)
    right +=
        std::any_of(changes.begin(), changes.end(), [&](const Planted& one) { return near(one, point); });
  for (const Planted& one : changes)
    seen += std::any_of(points.begin(), points.end(), [&](std::size_t point) { return near(one, point); });
}

}  // namespace harness
