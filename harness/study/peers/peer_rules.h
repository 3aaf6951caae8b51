// Peer rules: the rules of other tools, asked about one case of two records, with the processes that each
// takes.
//
// Pure functions; any thread may call them.
#pragma once

#include <functional>
#include <vector>

#include "harness/model/record.h"
#include "harness/model/results/error_rates.h"
#include "harness/study/peers/peer_calls.h"

namespace harness::peers {

struct PeerRule {
  Peer peer = Peer::welch;
  std::size_t before = 1, after = 1;  // processes
  bool calls = false;                 // asks for the calls of one process: the value of each does not suffice
  std::size_t repetitions = 0;        // but so many processes of one value each serve as well
  std::function<Call(const Series& before, const Series& after)> call;
};

// Tools that start the benchmark once get one process; those that compare with a history get 20.
// Times, so that more is slower.
std::vector<PeerRule> peer_rules();

// Welch's two-sided test of all samples as if they were independent. `tukey` drops those beyond the inner
// fences of each side first.
struct RawWelch {
  double p = 1;
  double change = 0;  // of the mean, as a share of the mean before
};
RawWelch raw_welch(const Series& before, const Series& after, bool tukey);

}  // namespace harness::peers
