#include "harness/model/results/examination.h"

#include <algorithm>

namespace harness {

Topic topic_of(Check check) {
  if (check >= Check::cases) return Topic::suite;
  if (check >= Check::ceilings) return Topic::ceilings;
  if (check >= Check::disk_space) return Topic::store;
  if (check >= Check::cupti) return Topic::profilers;
  if (check >= Check::gpu) return Topic::gpu;
  return check >= Check::driver ? Topic::driver : Topic::machine;
}

Fitness fitness_of(const Examination& examination) {
  Fitness worst = Fitness::ok;
  for (const Observation& finding : examination.findings) worst = std::max(worst, finding.fitness);
  return worst;
}

}  // namespace harness
