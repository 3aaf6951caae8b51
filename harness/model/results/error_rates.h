// Selftest: how often the rule that decides is wrong, by simulation and by random halves of a run on this
// machine. Made by study/selftest.h, put into words by report/. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/fact.h"
#include "harness/model/results/summary.h"
#include "harness/schema/enum_names.h"

namespace harness {

// A share of trials, and what it must not be shown to lie above.
struct ErrorRate {
  std::size_t hits = 0;
  std::size_t trials = 0;
  double limit = 1;   // nominal; 1: no error, so none
  Interval bounds;    // of the share, Clopper-Pearson at `confidence` of the report
  double surely = 0;  // the lower bound at that confidence for all rates of the report together (Bonferroni)

  [[nodiscard]] bool exceeds() const { return surely > limit; }
  [[nodiscard]] double share() const {
    return trials == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(trials);
  }
};

// A kind of simulated noise.
enum class Noise {
  normal,          // processes and samples vary normally
  lognormal,       // skewed samples
  bimodal,         // each process lands in one of two modes, 22.5 and 25.5 us
  autoregressive,  // AR(1) with rho 0.9 within a process
  slow_tail,       // one sample in ten takes 1.5 times as long
  drift,           // 3 % over the run, both sides in turns A B B A
  sessions,        // each side is a session that differs by what the policy assumes
  devices,         // each side is another device, likewise
  scattered,       // the sds of cases scatter by a third, and one case varies five times as much as its like
};

template <>
inline constexpr auto enum_names<Noise> = names<Noise>({{Noise::normal, "normal"},
                                                        {Noise::lognormal, "lognormal"},
                                                        {Noise::bimodal, "bimodal"},
                                                        {Noise::autoregressive, "autoregressive"},
                                                        {Noise::slow_tail, "slow_tail"},
                                                        {Noise::drift, "drift"},
                                                        {Noise::sessions, "sessions"},
                                                        {Noise::devices, "devices"},
                                                        {Noise::scattered, "scattered"}});

// How the two simulated sides are measured.
struct MeasuringPlan {
  int processes = 5;            // a side
  std::vector<int> looks = {};  // empty: one
  bool shared = false;          // both sides in the same processes
  int baseline = 0;             // processes of the baseline, where it has more

  [[nodiscard]] int before() const { return baseline > processes ? baseline : processes; }
};

// One kind of noise measured in one way.
struct SelftestRow {
  Noise noise = Noise::normal;
  MeasuringPlan plan;
  ErrorRate unchanged_red;  // suites in which nothing differs and a case is called regressed
  ErrorRate called;         // cases slower by exactly the margin and called regressed, each by itself
  ErrorRate family_called;  // suites of such cases with any called, after Holm
  ErrorRate passed;         // cases slower by exactly the margin and called unchanged
  ErrorRate found;          // cases slower by `found_change` and called regressed, after Holm
};

// One case of a run on this machine, whose random halves were compared.
struct SelftestCase {
  std::string case_id;
  std::string metric;
  std::size_t alarms = 0;  // splits in which it was called regressed
};

// A rule of another tool, or a test that many use.
enum class Peer {
  welch,        // of all samples, p < .05
  tukey_welch,  // the same within Tukey's fences, and a change above 1 %
  nvbench_legacy,
  nvbench_robust,
  google_benchmark,  // its U test
  criterion,
  asv,
  github_action_benchmark,
  bencher,  // its t-test at .99
  otava,
};

template <>
inline constexpr auto enum_names<Peer> = names<Peer>({{Peer::welch, "welch"},
                                                      {Peer::tukey_welch, "tukey_welch"},
                                                      {Peer::nvbench_legacy, "nvbench_legacy"},
                                                      {Peer::nvbench_robust, "nvbench_robust"},
                                                      {Peer::google_benchmark, "google_benchmark"},
                                                      {Peer::criterion, "criterion"},
                                                      {Peer::asv, "asv"},
                                                      {Peer::github_action_benchmark,
                                                       "github_action_benchmark"},
                                                      {Peer::bencher, "bencher"},
                                                      {Peer::otava, "otava"}});

// A rule of another tool on the same halves.
struct PeerRate {
  Peer rule = Peer::welch;
  int before = 0, after = 0;  // processes that it takes of each half
  ErrorRate red;              // splits with any case called slower
};

// A/A on this machine: random halves of the processes of one run.
struct SelftestRun {
  std::string suite;
  std::string device;
  int processes = 0;  // a side; 0: there were too few to split
  ErrorRate red;      // splits with any case called regressed; splits share processes
  std::vector<SelftestCase> cases;
  std::vector<PeerRate> peers;
  std::optional<int> needed;  // processes a side, where there were too few to compare anything
};

// Why the limit of a row is not nominal. `noise` and `plan` are those of the row at the index `row`.
enum class SelftestRemarkCode {
  too_few,      // row, needed: no verdict is allowed
  unavoidable,  // row, chance: that no rule can avoid
};

template <>
inline constexpr auto enum_names<SelftestRemarkCode> = names<SelftestRemarkCode>(
    {{SelftestRemarkCode::too_few, "too_few"}, {SelftestRemarkCode::unavoidable, "unavoidable"}});

using SelftestRemark = Fact<SelftestRemarkCode>;

struct SelftestReport {
  std::uint64_t seed = 1;
  std::size_t splits = 0;
  double confidence = 0.99;
  double margin = 0;
  double alpha = 0;
  double found_change = 0;
  std::size_t cases = 0;  // of a simulated suite
  std::vector<SelftestRow> rows;
  std::vector<SelftestRun> runs;        // none, or the one of --aa
  std::vector<SelftestRemark> remarks;  // on limits that are not nominal
};

// Whether no rate is shown to lie above its limit.
bool passes(const SelftestRow& row);
bool passes(const SelftestReport& report);

}  // namespace harness
