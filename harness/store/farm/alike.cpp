#include "harness/store/farm/alike.h"

#include <fmt/format.h>

#include <vector>

#include "harness/base/text.h"
#include "harness/model/results/machine_differences.h"

namespace harness {

Status check_alike(const Machine& known, const Machine& machine) {
  std::vector<Difference> found = blocking_differences(known, machine);
  std::erase_if(found, [](const Difference& one) { return one.name == "clock_lock"; });
  if (found.empty()) {
    found =
        differing_fields(known, machine, [](const MachineField& field) { return field.name == "driver"; });
    std::erase_if(found, [](const Difference& one) { return !one.baseline || !one.current; });
  }
  if (found.empty()) return {};
  const Difference& first = found.front();
  return fail(ErrorKind::not_comparable,
              fmt::format("`{}` is {} here, and {} where others measured for the campaign",
                          printable(first.name), printable(first.current.value_or("unknown")),
                          printable(first.baseline.value_or("unknown"))),
              "measure a campaign on devices that are alike; plan another one for this device");
}

}  // namespace harness
