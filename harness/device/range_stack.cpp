#include "harness/device/range_stack.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness {

RangeStack::~RangeStack() {
  for (; !levels_.empty(); levels_.pop_back()) timeline_.pop();
}

void RangeStack::push(Level level, const std::string& name) {
  timeline_.push(name);
  levels_.push_back(level);
}

bool RangeStack::has(Level level) const {
  return std::find(levels_.begin(), levels_.end(), level) != levels_.end();
}

void RangeStack::pop_through(Level level) {
  while (has(level)) {
    timeline_.pop();
    levels_.pop_back();
  }
}

void RangeStack::enter(const Place& place) {
  if (has(Level::process) && process_ != place.process) pop_through(Level::process);
  if (has(Level::measured_case) && case_ != place.case_id) pop_through(Level::measured_case);
  pop_through(Level::placement);
  process_ = place.process;
  case_ = place.case_id;
  if (!has(Level::process)) push(Level::process, fmt::format("process {}", process_));
  if (!has(Level::measured_case)) push(Level::measured_case, case_);
  push(Level::placement, place.placement < 0 ? std::string("between placements")
                                             : fmt::format("placement {}", place.placement + 1));
}

void RangeStack::open(std::string_view name) {
  push(Level::named, std::string(name));
}

void RangeStack::close() {
  if (levels_.empty() || levels_.back() != Level::named) return;
  timeline_.pop();
  levels_.pop_back();
}

}  // namespace harness
