// Pacer: how long the device idles between the timed calls of a case, and which samples are taken again, so
// that samples are of the boost clock. A device that works without pauses runs into its power limit, where
// its clock wanders by tens of percent (measure/power.md). Pure: it keeps the state of one case.
#pragma once

#include "harness/base/units.h"
#include "harness/device/timer.h"
#include "harness/model/plan.h"

namespace harness {

class Pacer {
 public:
  explicit Pacer(const Sampling& sampling);

  // `boost_ghz`: of this device in this process, as far as it is known; 0: unknown.
  void begin_placement(double boost_ghz);

  // Whether calls are to read the clock.
  [[nodiscard]] bool reads_clock() const { return boost_; }

  // How long the device idles before the next timed call: after a call that kept it busy for b, b (1/duty -
  // 1). Nothing where calls are so short beside what a sample costs that the device idles anyway, and where
  // nothing tells its clock.
  [[nodiscard]] Seconds pause() const;

  // A call was timed. `busy`: wall time of all that belongs to it, without its pause.
  void called(Seconds pause, Seconds busy, const Timing& timing);

  enum class Judgement {
    good,
    slow,   // it stays, because there is no time or no retake left
    again,  // it is to be taken again
  };
  // Judges a sample by its clock. A call may draw so much power at once that no rest brings it to the boost
  // clock. After some retakes its samples are then held to the lowest clock of these, which it had without a
  // rest. `late`: the time is used up.
  Judgement judge(const Timing& sample, bool late);

  // Share of the time since begin_placement() in which the device worked; 0 when nothing was paced.
  [[nodiscard]] double duty() const;

 private:
  [[nodiscard]] bool slow(double ghz) const;
  void settle();

  bool boost_;
  int samples_;
  double boost_ghz_ = 0;
  double attainable_ghz_ = 0;   // by this case, where that is less; 0: not known to be less
  double duty_;                 // that is aimed at
  int good_in_a_row_ = 0;       // samples
  int slow_in_a_row_ = 0;       // likewise
  double lowest_slow_ghz_ = 0;  // of these
  int retakes_left_ = 0;        // in this placement
  Seconds rest_ = 0;            // the least pause after a slow sample
  // The last call:
  bool told_ = false;
  Seconds busy_ = 0;
  Seconds elapsed_ = 0;
  // The placement:
  Seconds worked_ = 0;
  Seconds idled_ = 0;
};

}  // namespace harness
