// --lock-clocks[=MHZ]: the GPUs that a run measures on hold one SM clock meanwhile.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace harness {

struct ClockOption {
  bool lock = false;
  unsigned mhz = 0;  // 0: three quarters of the highest

  void add_to(CLI::App& command);

  // The same option for the command line of another program.
  [[nodiscard]] std::vector<std::string> words() const;
};

}  // namespace harness
