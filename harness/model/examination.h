// Examination: what decides whether a machine can measure, fact by fact, with a judgement and what to do.
// Plain data; made by device/examine.h, shown by report/examination.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/schema/enum_names.h"

namespace harness {

enum class Fitness {
  ok,
  warn,   // results are worse, or will not compare with others
  unfit,  // nothing that is measured here can be trusted
};
template <>
inline constexpr auto enum_names<Fitness> =
    names<Fitness>({{Fitness::ok, "ok"}, {Fitness::warn, "warn"}, {Fitness::unfit, "unfit"}});

struct Observation {
  std::string topic;  // "machine", "driver", "gpu", "profilers", "store", "ceilings", "suite"
  std::string name;   // "governor"
  std::string value;  // "powersave", for people
  Fitness fitness = Fitness::ok;
  std::string advice = {};  // "" exactly where the fitness is ok

  bool operator==(const Observation&) const = default;
};

struct Examination {
  std::string device;                 // as open_device() takes it
  std::string described;              // "NVIDIA H200 (GPU-...)"
  std::vector<Observation> findings;  // those of a topic stand together
  bool operator==(const Examination&) const = default;
};

// The worst of the findings.
Fitness fitness_of(const Examination& examination);

}  // namespace harness
