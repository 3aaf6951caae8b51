#include "harness/verdict/read/origin.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/text.h"

namespace harness {
namespace {

// "NVIDIA H200 GPU-1234" for each device that a case of the record was measured on.
std::string devices_of(const Record& record) {
  std::set<std::string_view> used;
  for (const CaseRecord& one : record.cases)
    if (one.outcome != Outcome::skipped) used.insert(one.device);
  std::vector<std::string> described;
  for (const auto& [kind, machine] : record.machines) {
    if (!used.contains(kind)) continue;
    // A GPU's machine names its host's CPU, too, after the device.
    const auto model = std::ranges::find_if(machine.fields, [](const MachineField& field) {
      return field.name == "device" || field.name == "cpu";
    });
    described.push_back(model == machine.fields.end() ? machine.machine_class : model->value);
    if (!machine.device_uuid.empty()) described.back() += " " + machine.device_uuid;
  }
  return join(described, ", ");
}

}  // namespace

RecordSource source_of(const Record& record) {
  RecordSource source;
  source.id = record.id;
  source.revision = record.revision;
  source.device = devices_of(record);
  return source;
}

}  // namespace harness
