#include "harness/model/tuning/tuned.h"

#include <algorithm>

namespace harness {

const TunedCase* find_tuned(const TunedSuite& tuned, const std::string& id) {
  const auto found = std::find_if(tuned.cases.begin(), tuned.cases.end(),
                                  [&](const TunedCase& one) { return one.id == id; });
  return found == tuned.cases.end() ? nullptr : &*found;
}

}  // namespace harness
