#include "harness/measure/schedule/ceiling_cache.h"

#include <dlfcn.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <system_error>
#include <tuple>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/host/host_state.h"
#include "harness/model/device_kinds.h"
#include "harness/schema/formats.h"
#include "harness/schema/json_fields.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

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

// The file of one device.
struct KeptFile {
  std::string uuid;
  std::string machine_class;
  std::string driver;
  std::string boot;
  double measured = 0;  // Unix time in seconds
  std::map<std::string, double> ceilings;

  static KeptFile of(const Machine& machine, const std::string& boot) {
    return {machine.device_uuid, machine.machine_class, driver_of(machine), boot, 0, {}};
  }
  [[nodiscard]] auto identity() const { return std::tie(uuid, machine_class, driver, boot); }
};

// Size and time of the file that has this code: another one in each build.
std::string stamp_of_code() {
  Dl_info where{};
  const bool found = dladdr(reinterpret_cast<const void*>(&stamp_of_code), &where) != 0;
  fs::path file = found && where.dli_fname != nullptr ? where.dli_fname : "";
  if (!file.is_absolute()) file = "/proc/self/exe";
  std::error_code unread, undated;
  const auto bytes = fs::file_size(file, unread);
  const auto written = fs::last_write_time(file, undated).time_since_epoch().count();
  return unread || undated ? utc_timestamp() : fmt::format("{} {}", bytes, written);
}

}  // namespace

template <>
struct Described<KeptFile> {
  static constexpr auto fields = list_fields<KeptFile>(
      JsonLayout::lines, field("uuid", &KeptFile::uuid).required(),
      field("class", &KeptFile::machine_class).required(), field("driver", &KeptFile::driver).required(),
      field("boot", &KeptFile::boot).required(), field("measured", &KeptFile::measured).required(),
      field("ceilings", &KeptFile::ceilings).required());
};

fs::path CeilingCache::usual_folder() {
  return environment::cache_folder();
}

CeilingCache::CeilingCache(fs::path folder, std::string boot, double seconds)
    : folder_(std::move(folder)), boot_(std::move(boot)), seconds_(seconds) {}

CeilingCache CeilingCache::usual(const std::string& device, const Machine& machine) {
  if (is_gpu_device(device)) return {usual_folder(), boot_identity()};
  if (device != cpu_kind.name) return {"", ""};
  std::string state = boot_identity() + " " + stamp_of_code();
  for (const MachineField& field : machine.fields)
    if (field.kind != FieldClass::info) state += fmt::format(" {}={}", field.name, field.value);
  return {usual_folder(), state, short_lifetime};
}

fs::path CeilingCache::path_of(const std::string& uuid) const {
  const bool plain = !uuid.empty() && std::all_of(uuid.begin(), uuid.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
  return folder_ / fmt::format("ceilings-{}.json", plain ? uuid : content_hash(uuid));
}

std::optional<CachedCeilings> CeilingCache::find(const Machine& machine, double now) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = path_of(machine.device_uuid);
  const Result<std::string> text = read_file(path, largest_file);
  if (!text) return std::nullopt;
  const Result<KeptFile> kept =
      from_json(Described<KeptFile>::fields, *text, path.string(), &formats::ceilings);
  if (!kept || kept->identity() != KeptFile::of(machine, boot_).identity()) return std::nullopt;
  const double age = now - kept->measured;
  if (!(age >= 0 && age <= seconds_) || kept->ceilings.empty()) return std::nullopt;
  for (const auto& [name, value] : kept->ceilings)
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
  return CachedCeilings{kept->ceilings, kept->measured};
}

Status CeilingCache::keep(const Machine& machine, const CachedCeilings& ceilings) const {
  if (folder_.empty() || ceilings.ceilings.empty()) return {};
  KeptFile kept = KeptFile::of(machine, boot_);
  kept.measured = ceilings.measured;
  kept.ceilings = ceilings.ceilings;
  return write_file_atomically(
      path_of(machine.device_uuid),
      to_json(Described<KeptFile>::fields, kept, JsonLayout::lines, &formats::ceilings) + "\n");
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
