// The fields of PairedBuilds, as jobs and campaigns hold them.
#pragma once

#include "harness/measure/schedule/paired_builds.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <>
struct Described<BuildModules> {
  static constexpr auto fields =
      list_fields<BuildModules>(JsonLayout::line, field("root", &BuildModules::root).required(),
                                field("kernels", &BuildModules::kernels), field("cuda", &BuildModules::cuda),
                                field("plugins", &BuildModules::plugins));
};

template <>
struct Described<PairedBuilds> {
  static constexpr auto fields =
      list_fields<PairedBuilds>(JsonLayout::line, field(baseline_side, &PairedBuilds::baseline).required(),
                                field(current_side, &PairedBuilds::current).required());
};

}  // namespace harness
