// The built-in workloads and CPU variants as a loadable module, so that two builds' can be measured in one
// process. It exports harness_module and nothing else (exports.map).
#include "harness/sdk/registry.h"

void register_built_in(harness::sdk::Registry& registry);

HARNESS_MODULE("built-in kernels", register_built_in)
