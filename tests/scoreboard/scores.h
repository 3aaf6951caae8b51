// Scores of change points against labels, as van den Burg & Williams (2020) define them for the Turing Change
// Point Dataset. Indices count from 0; a change point is the first value after the change.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace harness {

using Places = std::set<std::size_t>;

// F1 with a margin of 5 values. The start of the series is a change point of all. Precision counts the labels
// of any annotator, recall is the mean over annotators; a change point matches one label.
double f1_score(const std::vector<Places>& annotators, const Places& found);

// The mean over annotators of the cover: each labelled segment's largest Jaccard index with a found one,
// weighted by its length.
double cover_score(const std::vector<Places>& annotators, const Places& found, std::size_t values);

// A change that was planted: it may be found anywhere from `first` to `last`.
struct Planted {
  std::size_t first = 0, last = 0;
};

struct Tally {
  std::size_t found = 0, right = 0;   // change points, and those within two values of a planted change
  std::size_t planted = 0, seen = 0;  // planted changes, and those within two values of a change point

  void add(const std::vector<Planted>& changes, const Places& points);
  [[nodiscard]] double precision() const { return static_cast<double>(right) / static_cast<double>(found); }
  [[nodiscard]] double recall() const { return static_cast<double>(seen) / static_cast<double>(planted); }
};

}  // namespace harness
