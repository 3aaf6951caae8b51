#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "harness/base/environment.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/device/host/cuda_libraries.h"

namespace harness {
namespace {

struct ProbeLibrariesArguments {};

int probe_libraries(const ProbeLibrariesArguments& /*arguments*/) {
  fmt::print("{}", encode(find_cuda_libraries(environment::system_root())));
  std::fflush(stdout);
  std::_Exit(exit_ok);  // skips destructors of libraries that need a driver
}

}  // namespace

void add_probe_libraries(Commands& commands) {
  hide(commands
           .add("probe-libraries", "List the CUDA libraries of this machine (started by doctor)",
                probe_libraries)
           .command);
}

}  // namespace harness
