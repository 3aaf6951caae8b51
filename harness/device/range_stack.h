// RangeStack: the named ranges now open on a profiler's timeline. Outermost are those opened before the first
// case (the suite), then process, case, placement and phases. When one ends, those inside it end, too. One
// thread uses it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/profiler.h"

namespace harness {

class RangeStack {
 public:
  // A profiler's timeline; called in the order of nesting.
  struct Timeline {
    std::function<void(const std::string& name)> push;
    std::function<void()> pop;
  };
  explicit RangeStack(Timeline timeline) : timeline_(std::move(timeline)) {}
  RangeStack(const RangeStack&) = delete;
  RangeStack& operator=(const RangeStack&) = delete;
  ~RangeStack();  // ends what is open

  void enter(const Place& place);
  void open(std::string_view name);
  void close();  // the innermost of open(); nothing where a place was entered since

 private:
  enum class Level { named, process, measured_case, placement };

  void push(Level level, const std::string& name);
  void pop_through(Level level);  // the outermost range of this level and all inside it, if there is one
  [[nodiscard]] bool has(Level level) const;

  Timeline timeline_;
  std::vector<Level> levels_;
  std::string case_;
  int process_ = 0;
};

}  // namespace harness
