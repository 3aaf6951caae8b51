// `harness farm list`, `cancel` and `delete`.
#pragma once

#include "harness/cli/commands/commands.h"

namespace harness {

void add_campaign_commands(Commands& below);

}  // namespace harness
