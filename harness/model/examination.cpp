#include "harness/model/examination.h"

#include <algorithm>

namespace harness {

Fitness fitness_of(const Examination& examination) {
  Fitness worst = Fitness::ok;
  for (const Observation& finding : examination.findings) worst = std::max(worst, finding.fitness);
  return worst;
}

}  // namespace harness
