#include "harness/study/bisection.h"

namespace harness {

Bisection::Bisection(std::size_t count) : marks_(count, Mark::untested) {
  marks_.front() = Mark::good;
  marks_.back() = Mark::bad;
}

std::optional<std::size_t> Bisection::next(const std::function<bool(std::size_t)>& is_cheap) const {
  const std::size_t low = good();
  const std::size_t high = bad();
  // Twice the distance from the middle, which may lie between two commits.
  const auto off_middle = [&](std::size_t i) {
    return 2 * i > low + high ? 2 * i - low - high : low + high - 2 * i;
  };
  std::optional<std::size_t> nearest;
  std::optional<std::size_t> cheap;
  for (std::size_t i = low + 1; i < high; ++i) {
    if (marks_[i] != Mark::untested) continue;
    if (!nearest || off_middle(i) < off_middle(*nearest)) nearest = i;
    if (2 * off_middle(i) <= high - low && is_cheap && is_cheap(i) &&
        (!cheap || off_middle(i) < off_middle(*cheap)))
      cheap = i;
  }
  return cheap ? cheap : nearest;
}

void Bisection::mark(std::size_t commit, Mark mark) {
  marks_[commit] = mark;
}

std::size_t Bisection::good() const {
  std::size_t last = 0;
  for (std::size_t i = 0; i < bad(); ++i)
    if (marks_[i] == Mark::good) last = i;
  return last;
}

std::size_t Bisection::bad() const {
  std::size_t first = 0;
  while (marks_[first] != Mark::bad) ++first;
  return first;
}

}  // namespace harness
