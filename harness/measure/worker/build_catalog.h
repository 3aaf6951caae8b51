// The workloads and variants of a build that was made before, by its modules.
#pragma once

#include "harness/base/result.h"
#include "harness/catalog/catalog.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/sdk/registry.h"

namespace harness {

// `device_module`: of the device that this process has opened, or null. A build without kernels of its own
// has those of this program.
Result<Catalog> catalog_of_build(const BuildModules& build, const sdk::Module* device_module);

}  // namespace harness
