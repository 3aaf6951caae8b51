#include "harness/store/farm/record_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "harness/base/text.h"
#include "harness/model/codec.h"
#include "harness/store/farm/alike.h"

namespace harness {
namespace {

// The devices of both, each once.
std::string both_of(const std::string& one, const std::string& other) {
  std::set<std::string> uuids;
  for (const std::string* text : {&one, &other})
    for (const std::string& uuid : split(*text, '+'))
      if (!uuid.empty()) uuids.insert(uuid);
  return join(std::vector<std::string>(uuids.begin(), uuids.end()), "+");
}

// Whether `known` has become another one.
Result<bool> add_machine(std::map<std::string, Machine>& known, const std::string& kind,
                         const Machine& machine) {
  const auto [place, added] = known.emplace(kind, machine);
  if (added) return true;
  if (const Status alike = check_alike(place->second, machine); !alike) return fail(alike.error());
  Machine merged = machine;
  merged.device_uuid = both_of(place->second.device_uuid, machine.device_uuid);
  for (const auto& [name, value] : place->second.ceilings)
    merged.ceilings[name] = std::max(merged.ceilings[name], value);
  if (merged == place->second) return false;
  place->second = std::move(merged);
  return true;
}

// `change` of the header of a record, if it changes anything. Until the end of the transaction no other
// element changes it.
Status change_header(Database& database, const std::string& record,
                     const std::function<Result<bool>(Record&)>& change) {
  soci::session& sql = database.sql();
  sql << "UPDATE runs SET state = state WHERE id = :id", soci::use(record);
  std::string text;
  sql << "SELECT header FROM runs WHERE id = :id", soci::use(record), soci::into(text);
  if (!sql.got_data())
    return fail(ErrorKind::missing, fmt::format("no record {} in {}", printable(record), database.name()),
                "the record of this campaign was deleted; plan another one");
  Result<Record> header = decode_header(text, "record " + record);
  if (!header) return fail(header.error());
  const Result<bool> changed = change(*header);
  if (!changed) return fail(changed.error());
  if (!*changed) return {};
  text = encode_header(*header);
  sql << "UPDATE runs SET header = :header WHERE id = :id", soci::use(text), soci::use(record);
  return {};
}

}  // namespace

Status add_machines(Database& database, const MeasuredSide& side) {
  return change_header(database, side.record, [&](Record& header) -> Result<bool> {
    bool changed = false;
    for (const auto& [kind, machine] : side.machines) {
      const Result<bool> added = add_machine(header.machines, kind, machine);
      if (!added) return added;
      changed |= *added;
    }
    return changed;
  });
}

Status forget_device(Database& database, const std::string& record, const std::string& device) {
  return change_header(database, record, [&](Record& header) -> Result<bool> {
    for (auto& [kind, machine] : header.machines) {
      std::vector<std::string> uuids = split(machine.device_uuid, '+');
      std::erase(uuids, device);
      machine.device_uuid = join(uuids, "+");
    }
    std::erase_if(header.machines, [](const auto& one) { return one.second.device_uuid.empty(); });
    return true;
  });
}

}  // namespace harness
