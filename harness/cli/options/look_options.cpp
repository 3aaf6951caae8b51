#include "harness/cli/options/look_options.h"

#include "harness/cli/options/typed_option.h"

namespace harness {

void LookOptions::add_to(CLI::App& command) {
  add_choice(command, "--measure", measure,
             "changed: only cases that are not proven identical to the baseline's; all: every case");
  command.add_flag(
      "--no-confirm", no_confirm,
      "a regression fails at once, without being measured again on fresh processes, or by `ab` at other "
      "places of its code");
}

}  // namespace harness
