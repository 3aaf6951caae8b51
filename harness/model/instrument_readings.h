// A record's figures about the instrument itself, beside its measurements. Plain data.
#pragma once

#include <optional>
#include <vector>

namespace harness {

// The reading of a call that does nothing, in us: shown beside short cases, never subtracted.
struct Control {
  double call = 0;                  // timed alone: on a GPU an empty kernel between two events
  double batched = 0;               // the slope over a batch of them: on a GPU a node of a graph
  std::optional<double> pair = {};  // the clock alone, without a call: on a GPU two events in a row

  bool operator==(const Control&) const = default;
};

// How the calls of a case were timed together in one process, and how well their times lie on a line.
struct Batching {
  std::vector<int> calls;  // in each batch, increasing
  double intercept = 0;    // what a batch costs beside its calls, us
  double off_line = 0;     // largest distance of a batch length's mean from the line, as a share of it

  bool operator==(const Batching&) const = default;
};

}  // namespace harness
