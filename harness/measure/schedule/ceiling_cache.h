// CeilingCache: what a device reaches at best, measured once a session instead of once a run. One file a
// device:
//
//   ceilings-<UUID>.json   in HARNESS_CACHE_DIR, else $XDG_CACHE_HOME/harness, else ~/.cache/harness
//
//   {"version": 1, "uuid", "class", "driver", "boot", "measured": Unix time, "ceilings": {name: value}}
//
// The file is valid for a while, on the same boot of the same machine with the same driver. Otherwise the
// device is measured again. It is written as a whole or not at all. Where no folder can be found or written,
// there is no cache. One thread of a worker process uses it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/result.h"
#include "harness/device/device.h"

namespace harness {

struct CachedCeilings {
  std::map<std::string, double> ceilings;
  double measured = 0;  // Unix time, seconds
};

class CeilingCache {
 public:
  // Seconds: a session; and some suites one after the other, for a device that a busy machine spoils.
  static constexpr double lifetime = 12 * 3600.0, short_lifetime = 20 * 60.0;

  // In the folder that the environment names; "" when there is none.
  static std::filesystem::path usual_folder();
  // `boot`: which start of the kernel this is, and what else must be the same.
  CeilingCache(std::filesystem::path folder, std::string boot, double seconds = lifetime);

  // That of a device in the usual folder; `machine` is its fingerprint. Code of this program reaches a CPU's
  // ceilings, on as many threads as it may use. A script's cost nothing and may change: it has no cache.
  static CeilingCache usual(const std::string& device, const Machine& machine);

  // The ceilings that are valid now; std::nullopt: measure them.
  [[nodiscard]] std::optional<CachedCeilings> find(const Machine& machine, double now) const;
  Status keep(const Machine& machine, const CachedCeilings& ceilings) const;
  void forget(const std::string& uuid) const;
  [[nodiscard]] std::filesystem::path path_of(const std::string& uuid) const;

 private:
  std::filesystem::path folder_;
  std::string boot_;
  double seconds_;
};

// Adds the ceilings to the fingerprint: from the cache, with the field `ceilings_measured` (info) for when;
// or measured now and cached. If that fails, the field `ceilings` (info) tells why.
void add_ceilings(Machine& machine, Device& device, const CeilingCache& cache);

}  // namespace harness
