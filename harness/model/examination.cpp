#include "harness/model/examination.h"

#include <algorithm>

namespace harness {

std::string_view name_of(Fitness fitness) {
  switch (fitness) {
    case Fitness::ok: return "ok";
    case Fitness::warn: return "warn";
    case Fitness::unfit: return "unfit";
  }
  return "?";
}

Fitness fitness_of(const Examination& examination) {
  Fitness worst = Fitness::ok;
  for (const Observation& finding : examination.findings) worst = std::max(worst, finding.fitness);
  return worst;
}

}  // namespace harness
