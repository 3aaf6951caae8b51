#include "harness/cli/options/measuring_options.h"

#include "harness/cli/options/typed_option.h"

namespace harness {
namespace {

Result<Seconds> parse_wait(const std::string& text) {
  if (text == "0") return 0.0;
  return parse_duration(text);
}

}  // namespace

void MeasuringOptions::add_to(CLI::App& command) {
  command.add_flag("--quiet", quiet, "no progress line");
  add_typed(command, "--wait", wait, parse_wait,
            "longest wait for a device that another run uses; 0: no wait; default: no limit")
      ->type_name("DURATION");
}

}  // namespace harness
