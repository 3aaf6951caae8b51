#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "harness/base/environment.h"
#include "harness/cli/commands/commands.h"
#include "harness/cli/exit_status.h"
#include "harness/device/host/cuda_libraries.h"
#include "harness/device/host/mapped_objects.h"
#include "harness/device/open.h"

namespace harness {
namespace {

struct ProbeLibrariesArguments {
  bool mapped = false;
  bool of_cuda = false;
};

int probe_libraries(const ProbeLibrariesArguments& arguments) {
  if (arguments.mapped) {
    if (arguments.of_cuda) load_cuda_libraries();
    for (const std::string& line : mapped_objects()) fmt::print("{}\n", line);
  } else {
    fmt::print("{}", encode(find_cuda_libraries(environment::system_root())));
  }
  std::fflush(stdout);
  std::_Exit(exit_ok);  // skips destructors of libraries that need a driver
}

}  // namespace

void add_probe_libraries(Commands& commands) {
  auto& [command, arguments] = commands.add(
      "probe-libraries", "List the CUDA libraries of this machine (started by doctor and run)", probe_libraries);
  hide(command);
  command.add_flag("--mapped", arguments.mapped, "the shared objects of this program instead");
  command.add_flag("--cuda", arguments.of_cuda, "with those that the CUDA module may load");
}

}  // namespace harness
