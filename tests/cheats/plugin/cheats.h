// Kernels that cheat: the parts that they share. Each file of this folder holds cheats of one kind, and a
// function that adds them. The problem is tests/measure/trial.h, y = 2 x + 1.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "tests/measure/trial.h"

namespace cheats {

namespace sdk = harness::sdk;
using Results = std::vector<float>;

class Cheat : public trial::Right {
 public:
  using Right::Right;

 protected:
  void work() { Right::run({}); }
  // The work of a kernel that takes long.
  void work_long(int rounds = 400) {
    volatile float sink = 0;
    for (int round = 0; round < rounds; ++round)
      for (std::int64_t i = 0; i < n_; ++i) sink = sink + x_[i];
    work();
  }
  [[nodiscard]] Results results() const { return {y_, y_ + n_}; }
  void copy(const Results& results) { std::copy(results.begin(), results.end(), y_); }
  [[nodiscard]] bool sees_poison() const { return std::isnan(y_[0]); }
};

// By what a kernel may see of the harness: poison, numbers of calls, time.
void add_cheats_of_calls(sdk::Registry& registry);
// By results that are kept.
void add_cheats_of_results(sdk::Registry& registry);
// By outputs that are not what was asked for.
void add_cheats_of_outputs(sdk::Registry& registry);
// By marks that a call leaves for the next.
void add_cheats_of_marks(sdk::Registry& registry);
// By work that is done later, and what is left for it.
void add_cheats_of_later_work(sdk::Registry& registry);
// By the process, its clock, threads and descriptors.
void add_cheats_of_processes(sdk::Registry& registry);


// Kernels that look odd and are honest: by what they keep, how they work and what they use of the process.
void add_honest_kernels(sdk::Registry& registry);
void add_honest_users_of_processes(sdk::Registry& registry);

}  // namespace cheats
