#include "harness/measure/worker/phases.h"

#include <algorithm>
#include <string>

namespace harness {

void Phases::add(std::string_view name, Seconds duration) {
  const auto same = [&](const Phase& phase) { return phase.name == name; };
  const auto found = std::find_if(phases_.begin(), phases_.end(), same);
  if (found == phases_.end())
    phases_.push_back({std::string(name), duration});
  else
    found->duration += duration;
}

}  // namespace harness
