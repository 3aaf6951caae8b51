// Audit: decides which calls between the samples of a case are verified, on which inputs and over which
// earlier outputs, and judges their times. A generator draws all of it from a nonce that the variant does not
// know. Pure: audit_case.h makes the calls. One thread uses it, for one case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "harness/base/units.h"

namespace harness {

// What the outputs hold before an audited call.
enum class EarlierOutputs {
  results,  // those of the usual inputs: a call that does nothing leaves them
  poison,   // 0xFF, which is NaN
  pattern,  // another byte, drawn anew each time
};

class Audit {
 public:
  // Cases of one process have the same nonce, and so the same inputs; `case_seed` varies everything else.
  Audit(std::uint64_t nonce, std::uint64_t case_seed, int placements, int samples);

  // Draws the sample before which this placement is audited.
  void begin_placement();
  // Whether the audits are due now. `taken`: samples of this placement; `last`: there will be no more.
  // `sampling`: time that this case's placements took so far.
  [[nodiscard]] bool due(std::size_t taken, bool last, Seconds sampling);
  // How many audits this placement has, at least.
  [[nodiscard]] int audits_in_placement() const { return audits_in_placement_; }
  // An audit ended that took so long.
  void audited(Seconds duration);

  // The seed of the inputs of the next audit. The process has seen no values of them, unless making them
  // takes too long; then they are those of an earlier audit.
  struct Inputs {
    std::uint64_t seed = 0;
    bool unseen = true;
  };
  [[nodiscard]] Inputs next_inputs() const;
  void made_inputs(Seconds duration);

  struct Outputs {
    EarlierOutputs hold = EarlierOutputs::results;
    unsigned char byte = 0;
  };
  Outputs next_outputs();
  // The same without results.
  Outputs next_poison();
  // The same with another byte than 0xFF.
  Outputs next_pattern();
  // Whether the device idles before the next audit's call, so that work which an earlier call has left behind
  // ends on that call's inputs. Times after a pause are not compared.
  bool next_settles();
  // One of `count`.
  std::size_t draw(std::size_t count);

  // Times of one audit: on the usual inputs, written again; on inputs that were never seen; and the median of
  // the samples.
  struct Times {
    Seconds usual = 0;
    Seconds unseen = 0;
    Seconds sample = 0;
  };
  void timed(const Times& times);
  // One call: its time, and the time that passed by a clock that no call can change.
  struct Clocked {
    Seconds timed = 0;
    Seconds passed = 0;
  };
  void clocked(const Clocked& call);
  // Whether another audit follows at once, because the last one was much slower than it should be.
  [[nodiscard]] bool suspects() const {
    const auto some = [](int in_a_row) { return in_a_row > 0 && in_a_row < slow_audits; };
    return some(slow_in_a_row_) || some(off_in_a_row_);
  }
  // The last audit, if so many in a row were much slower than samples are: such a variant does not do its
  // work in the samples.
  [[nodiscard]] std::optional<Times> slower_when_audited() const;
  // The last call, if so many in a row took longer than their time says.
  [[nodiscard]] std::optional<Clocked> clock_differs() const;

  static constexpr int slow_audits = 8;  // in a row
  static constexpr double most_slowdown = 3;
  static constexpr double most_slowdown_of_usual = 5;
  static constexpr Seconds slack = 5e-6;
  static constexpr Seconds slack_of_clock = 50e-6;  // a launch, and waiting for its end
  static constexpr double most_passed = 2;
  static constexpr Seconds slack_of_usual = 1e-3;  // after a pause, sleeping threads must be woken

 private:
  std::mt19937_64 random_;
  std::uint64_t first_seed_;
  int placements_left_;
  int samples_;
  int audits_in_placement_;
  int certain_;  // audited placements that are still to come, whatever they cost
  std::size_t at_ = 0;
  bool done_ = false;  // in this placement
  bool is_certain_ = false;
  int placements_begun_ = 0;
  bool settled_last_ = false;
  Seconds spent_ = 0;
  Seconds making_ = 0;
  std::uint64_t made_ = 0;
  int slow_in_a_row_ = 0;
  int off_in_a_row_ = 0;
  Clocked last_clocked_;
  Times last_;
};

}  // namespace harness
