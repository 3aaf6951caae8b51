#include "tests/cheats/plugin/cheats.h"

namespace {

void register_all(harness::sdk::Registry& registry) {
  registry.add(std::make_unique<trial::Line>());
  registry.add(trial::variant<trial::Right>("honest"));
  cheats::add_cheats_of_calls(registry);
  cheats::add_cheats_of_results(registry);
  cheats::add_cheats_of_outputs(registry);
  cheats::add_cheats_of_processes(registry);
  cheats::add_cheats_of_marks(registry);
  cheats::add_cheats_of_later_work(registry);
  cheats::add_honest_kernels(registry);
  cheats::add_honest_users_of_processes(registry);
}

}  // namespace

HARNESS_MODULE("cheats", register_all)
