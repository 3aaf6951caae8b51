#include "harness/measure/worker/build_catalog.h"

#include <string>
#include <vector>

namespace harness {

Result<Catalog> catalog_of_build(const BuildModules& build, const sdk::Module* device_module) {
  Catalog catalog = build.kernels.empty() ? Catalog::built_in() : Catalog();
  if (device_module != nullptr && build.kernels.empty())
    if (const Status added = catalog.add(*device_module); !added) return fail(added.error());
  std::vector<std::string> own;
  if (!build.kernels.empty()) own.push_back(build.kernels);
  if (device_module != nullptr && !build.cuda.empty()) own.push_back(build.cuda);
  for (const std::string& module : own)
    if (const Status loaded = catalog.load_module(module); !loaded) return fail(loaded.error());
  catalog.yield_to_modules();
  for (const std::string& module : build.plugins)
    if (const Status loaded = catalog.load_module(module); !loaded) return fail(loaded.error());
  return catalog;
}

}  // namespace harness
