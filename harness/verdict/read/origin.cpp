#include "harness/verdict/read/origin.h"

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
    std::string_view model = machine.machine_class;
    for (const MachineField& field : machine.fields)
      if (field.name == "gpu" || field.name == "cpu") model = field.value;
    described.emplace_back(model);
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
