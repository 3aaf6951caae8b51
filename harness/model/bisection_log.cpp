#include "harness/model/bisection_log.h"

namespace harness {

std::string_view name_of(BisectStep::Result result) {
  switch (result) {
    case BisectStep::Result::good: return "good";
    case BisectStep::Result::bad: return "bad";
    case BisectStep::Result::skipped: return "skipped";
  }
  return "?";
}

}  // namespace harness
