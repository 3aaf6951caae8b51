#include "harness/measure/rules/pacer.h"

#include <algorithm>

namespace harness {
namespace {

// On H200s half the time brought the spread between processes from 2-8 % to 0.1-0.3 %; a quarter brought
// little more (measure/power.md).
constexpr double first_duty = 0.5;
constexpr double least_duty = 0.25;
constexpr double rise = 1.5;
constexpr int good_for_rise = 16;

// Longer pauses bring nothing, as a device at its limit recovers within milliseconds.
constexpr Seconds longest_pause = 0.005;

// The share of a sample's cost up to which a call is short: evicting and launching take the rest, and draw
// little power.
constexpr double short_share = 0.25;

// A sample further than this below the attainable clock is slow. A short reading is good to 0.3 %, and the
// clock moves in steps of 0.8 %.
constexpr double slow_share = 0.02;

// A slow sample is taken again after this time, then twice this time, and so on.
constexpr Seconds least_rest = 0.002;
// So many slow samples in a row, each after a longer rest, mean that the call itself brings down the clock.
constexpr int most_slow_in_a_row = 2;
// A call of this length is not taken again: the limit acts within milliseconds, so that no rest before the
// call lasts to its end.
constexpr Seconds too_long_for_rests = 0.1;

}  // namespace

Pacer::Pacer(const Sampling& sampling)
    : boost_(sampling.power == PowerMode::boost), samples_(sampling.samples), duty_(first_duty) {}

void Pacer::begin_placement(double boost_ghz) {
  boost_ghz_ = boost_ghz;
  retakes_left_ = samples_;
  slow_in_a_row_ = 0;
  rest_ = 0;
  told_ = false;  // another placement's work does not tell of this one
  worked_ = idled_ = 0;
}

Seconds Pacer::pause() const {
  if (!boost_ || !told_) return 0;
  const bool cheap = elapsed_ <= short_share * busy_ && duty_ >= first_duty;
  const Seconds wanted = cheap ? 0 : std::min(busy_ * (1 / duty_ - 1), longest_pause);
  return std::max(wanted, rest_);
}

void Pacer::called(Seconds pause, Seconds busy, const Timing& timing) {
  told_ = timing.clock_ghz > 0;
  busy_ = std::max(busy, timing.elapsed);
  elapsed_ = timing.elapsed;
  if (!told_) return;
  worked_ += busy_;
  idled_ += pause;
}

bool Pacer::slow(double ghz) const {
  const double attainable = attainable_ghz_ > 0 ? attainable_ghz_ : boost_ghz_;
  return ghz > 0 && ghz < attainable * (1 - slow_share);
}

void Pacer::settle() {
  slow_in_a_row_ = 0;
  rest_ = 0;
}

// The longer the samples were slow, the longer the device rests.
Pacer::Judgement Pacer::judge(const Timing& sample, bool late) {
  if (!boost_ || !slow(sample.clock_ghz)) {
    settle();
    if (++good_in_a_row_ % good_for_rise == 0) duty_ = std::min(first_duty, duty_ * rise);
    return Judgement::good;
  }
  good_in_a_row_ = 0;
  lowest_slow_ghz_ = slow_in_a_row_ == 0 ? sample.clock_ghz : std::min(lowest_slow_ghz_, sample.clock_ghz);
  if (++slow_in_a_row_ > most_slow_in_a_row) {
    attainable_ghz_ = lowest_slow_ghz_;
    duty_ = first_duty;
    settle();
  } else {
    duty_ = std::max(least_duty, duty_ / 2);
    rest_ = rest_ > 0 ? 2 * rest_ : least_rest;
  }
  if (late || retakes_left_ == 0 || elapsed_ >= too_long_for_rests) return Judgement::slow;
  --retakes_left_;
  return Judgement::again;
}

double Pacer::duty() const {
  return worked_ > 0 ? worked_ / (worked_ + idled_) : 0;
}

}  // namespace harness
