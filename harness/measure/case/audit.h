// Audit: decides which samples of a case are verified, on which inputs and over which earlier outputs, and
// judges their times. A generator draws all of it from a nonce that the variant does not know. Pure:
// audit_case.h takes the samples. One thread uses it, for one case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "harness/base/units.h"

namespace harness {

class Audit {
 public:
  // How much slower honest samples may be: `ratio` times on other inputs than on the usual ones, and
  // `rewritten_ratio` times on inputs that were just written than on unchanged ones. `noise`: what a single
  // time is good to; `waking`: how long a thread takes that has gone to sleep meanwhile.
  struct Limits {
    double ratio, rewritten_ratio;
    Seconds noise, waking;
  };
  // A processor learns the branches that inputs take: sorting known numbers is several times faster.
  static constexpr Limits on_cpu{10, 4, 10e-6, 200e-6};
  // The same with many threads, which wake one after the other, and for large inputs, which the writing has
  // taken out of the other cores' caches.
  static Limits on_cpu_with(int threads, std::size_t input_bytes);
  static constexpr Limits on_gpu{3, 3, 3e-6, 3e-6};

  struct Case {
    std::uint64_t nonce = 0;  // of the process: its cases have the same inputs
    std::uint64_t seed = 0;   // varies everything else
    bool chosen = true;       // to be audited at all
    int placements = 1;
    int samples = 1;
    Limits limits = on_cpu;
    Seconds preparation = 0;  // of the case: about what its first audit costs
  };
  explicit Audit(const Case& audited);
  [[nodiscard]] bool is_chosen() const { return case_.chosen; }

  // Whether this process of a case is audited: one of every five, drawn for each case by the run, because an
  // audit can take as long as all samples. `draw`: the run's, with the case; 0: each process is audited.
  static bool chosen(std::uint64_t draw, int processes, int process);
  // Whether this process is audited although another one was drawn: so nothing can be learned from what an
  // earlier process saw.
  static bool chosen_besides(std::uint64_t nonce, std::uint64_t seed);

  // Draws the samples after which this placement is audited.
  void begin_placement();
  // Whether an audit is due now. `taken`: samples of this placement; `last`: there will be no more.
  // `sampling`: time that this case's placements took so far.
  [[nodiscard]] bool due(std::size_t taken, bool last, Seconds sampling);
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

  // An audit verifies two calls. One finds in the outputs what an earlier call left on other inputs, so a
  // call that does nothing is wrong. The other finds a byte, never 0xFF, so that a right value cannot be the
  // byte by chance in each audit. Draws which is which.
  bool first_finds_results();
  unsigned char next_byte();
  // One of `count`.
  std::size_t draw(std::size_t count);

  // Times of samples around one audit.
  struct Times {
    Seconds usual = 0;     // on the usual inputs, just written
    Seconds unseen = 0;    // on others, just written
    Seconds repeated = 0;  // on the usual inputs, which nobody has written since the sample before
  };
  void timed(const Times& times);
  // One call: its time, and the time that passed by a clock that no call can change. A clock may be right
  // after a pause alone, or without one alone, so each kind of calls is judged by itself.
  struct Clocked {
    Seconds timed = 0;
    Seconds passed = 0;
    bool paused = true;  // the call came after a pause
  };
  void clocked(const Clocked& call);

  // Whether a sample on written inputs takes so much longer than others that it is to be repeated.
  [[nodiscard]] bool longer_than_repeated(Seconds usual, Seconds repeated) const;
  // Whether another audit follows at once, because the last one was much slower than it should be.
  [[nodiscard]] bool suspects() const;
  // The least times of many audits in a row, if even these are much longer than samples: such a variant does
  // not do its work in the samples. A disturbance makes some calls slower, never all of them.
  [[nodiscard]] std::optional<Times> slower_when_audited() const;
  // The last call of a kind, if so many in a row took longer than their time says.
  [[nodiscard]] std::optional<Clocked> clock_differs() const;

  static constexpr int slow_audits = 12;  // in a row
  static constexpr double most_passed = 2;
  static constexpr Seconds slack_of_clock = 100e-6;  // a launch, and waiting for its end

 private:
  struct Slow {
    Times times;
    bool slow = false;
  };
  [[nodiscard]] Slow judge() const;
  [[nodiscard]] bool longer_than_usual(Seconds unseen, Seconds usual) const;

  std::mt19937_64 random_;
  Case case_;
  std::uint64_t first_seed_;
  int placements_left_;
  int certain_;                  // audited placements that are still to come, whatever they cost
  std::vector<std::size_t> at_;  // samples of this placement after which it is audited
  std::size_t next_ = 0;         // of these
  bool is_certain_ = false;      // this placement
  int certain_audits_ = 0;
  int placements_begun_ = 0;
  Seconds cost_;  // of an audit
  Seconds spent_ = 0;
  Seconds making_ = 0;
  std::uint64_t made_ = 0;
  std::vector<Times> suspicious_;  // the last audits in a row, as long as they are slow
  bool odd_is_usual_ = false;      // calls on written inputs are slower than samples, for good reasons
  struct Kind {
    int off_in_a_row = 0;
    Clocked last;
  };
  std::array<Kind, 2> clocked_;  // without a pause, after one
};

}  // namespace harness
