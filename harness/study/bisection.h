// Bisection: which commit to test next between a good and a bad one, when some cannot be tested. Pure.
//
// A binary search over the first-parent line, where a merge is one step. `git bisect` would keep state in the
// user's repository and walk into merged branches, whose commits nobody builds alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace harness {

class Bisection {
 public:
  enum class Mark { untested, good, bad, skipped };

  // Commits in order of history: 0 is good, the last of `count` >= 2 is bad.
  explicit Bisection(std::size_t count);

  // The untested commit nearest to the middle of those in question. A commit for which `is_cheap` holds comes
  // first where it is no further than a quarter of them from the middle. std::nullopt: none is left.
  [[nodiscard]] std::optional<std::size_t> next(const std::function<bool(std::size_t)>& is_cheap) const;
  void mark(std::size_t commit, Mark mark);

  // The cause lies in (good(), bad()]; it is bad() itself when they are neighbours.
  [[nodiscard]] std::size_t good() const;
  [[nodiscard]] std::size_t bad() const;
  [[nodiscard]] Mark at(std::size_t commit) const { return marks_[commit]; }

 private:
  std::vector<Mark> marks_;
};

}  // namespace harness
