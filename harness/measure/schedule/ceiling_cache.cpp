#include "harness/measure/schedule/ceiling_cache.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr int version = 1;
constexpr std::uintmax_t largest_file = 64 << 10;

// A field that a GPU has and that changes what it reaches; a CPU has its kernel instead.
std::string driver_of(const Machine& machine) {
  for (const char* name : {"driver", "kernel"})
    for (const MachineField& field : machine.fields)
      if (field.name == name) return field.value;
  return {};
}

std::string time_text(double unix_time) {
  const auto seconds = static_cast<std::time_t>(unix_time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

}  // namespace

fs::path CeilingCache::usual_folder() {
  return environment::cache_folder();
}

CeilingCache::CeilingCache(fs::path folder, std::string boot)
    : folder_(std::move(folder)), boot_(std::move(boot)) {}

fs::path CeilingCache::path_of(const std::string& uuid) const {
  const bool plain = !uuid.empty() && std::all_of(uuid.begin(), uuid.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
  return folder_ / fmt::format("ceilings-{}.json", plain ? uuid : content_hash(uuid));
}

std::optional<CachedCeilings> CeilingCache::find(const Machine& machine, double now) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> text = read_file(path_of(machine.device_uuid), largest_file);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    if (json.at("version") != version || json.at("uuid") != machine.device_uuid ||
        json.at("class") != machine.machine_class || json.at("driver") != driver_of(machine) ||
        json.at("boot") != boot_)
      return std::nullopt;
    CachedCeilings found;
    found.measured = json.at("measured").get<double>();
    found.ceilings = json.at("ceilings").get<std::map<std::string, double>>();
    const double age = now - found.measured;
    if (!(age >= 0 && age <= lifetime) || found.ceilings.empty()) return std::nullopt;
    for (const auto& [name, value] : found.ceilings)
      if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    return found;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

Status CeilingCache::keep(const Machine& machine, const CachedCeilings& ceilings) const {
  if (folder_.empty() || ceilings.ceilings.empty()) return {};
  const nlohmann::ordered_json json{{"version", version},
                                    {"uuid", machine.device_uuid},
                                    {"class", machine.machine_class},
                                    {"driver", driver_of(machine)},
                                    {"boot", boot_},
                                    {"measured", ceilings.measured},
                                    {"ceilings", ceilings.ceilings}};
  return write_file_atomically(path_of(machine.device_uuid),
                               json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void CeilingCache::forget(const std::string& uuid) const {
  std::error_code code;
  if (!folder_.empty()) fs::remove(path_of(uuid), code);
}

void add_ceilings(Machine& machine, Device& device, const CeilingCache& cache) {
  const double now = device.timer().unix_time();
  if (auto known = cache.find(machine, now)) {
    machine.ceilings = std::move(known->ceilings);
    machine.fields.push_back({"ceilings_measured", time_text(known->measured), FieldClass::info});
    return;
  }
  auto measured = device.sensors().measure_ceilings();
  if (!measured) {
    const Error& error = measured.error();
    machine.fields.push_back({"ceilings",
                              printable(fmt::format("not measured: {}{}{}", error.message,
                                                    error.advice.empty() ? "" : "; ", error.advice)),
                              FieldClass::info});
    return;
  }
  machine.ceilings = *measured;
  // A cache that cannot be written costs the next run a second.
  [[maybe_unused]] const Status kept = cache.keep(machine, {std::move(*measured), now});
}

}  // namespace harness
