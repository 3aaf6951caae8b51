#include "harness/measure/case/audit.h"

#include <algorithm>

namespace harness {
namespace {

constexpr int usual_audits = 8;        // of a case
constexpr int certain_placements = 3;  // that are audited whatever it costs
constexpr double share_of_sampling = 0.05;
constexpr Seconds share_of_placement = 1e-3;
constexpr Seconds longest_making = 0.05;  // of inputs, for a case

}  // namespace

Audit::Audit(std::uint64_t nonce, std::uint64_t case_seed, int placements, int samples)
    : random_(nonce ^ case_seed),
      first_seed_(std::mt19937_64(nonce)()),
      placements_left_(std::max(1, placements)),
      samples_(std::max(1, samples)),
      audits_in_placement_((usual_audits + placements_left_ - 1) / placements_left_),
      certain_(std::min(certain_placements, placements_left_)),
      settled_last_(draw(2) == 0) {}

// Each set of `certain_` placements is drawn with the same probability.
void Audit::begin_placement() {
  at_ = draw(static_cast<std::size_t>(samples_));
  done_ = false;
  ++placements_begun_;
  is_certain_ =
      draw(static_cast<std::size_t>(std::max(1, placements_left_))) < static_cast<std::size_t>(certain_);
  placements_left_ = std::max(0, placements_left_ - 1);
  if (is_certain_) --certain_;
}

bool Audit::due(std::size_t taken, bool last, Seconds sampling) {
  if (done_ || (!last && taken < at_)) return false;
  done_ = true;
  return is_certain_ || spent_ <= share_of_sampling * sampling + share_of_placement * placements_begun_;
}

void Audit::audited(Seconds duration) {
  spent_ += duration;
}

Audit::Inputs Audit::next_inputs() const {
  const bool again = made_ > 0 && making_ > longest_making && slow_in_a_row_ == 0;
  return {first_seed_ + (again ? made_ - 1 : made_), !again};
}

void Audit::made_inputs(Seconds duration) {
  ++made_;
  making_ += duration;
}

Audit::Outputs Audit::next_outputs() {
  return draw(2) == 0 ? Outputs{} : next_poison();
}

Audit::Outputs Audit::next_poison() {
  if (draw(2) == 0) return {EarlierOutputs::poison, 0xFF};
  return next_pattern();
}

Audit::Outputs Audit::next_pattern() {
  return {EarlierOutputs::pattern, static_cast<unsigned char>(1 + draw(0xFE))};
}

bool Audit::next_settles() {
  if (suspects()) return false;
  settled_last_ = !settled_last_;
  return settled_last_;
}

std::size_t Audit::draw(std::size_t count) {
  return static_cast<std::size_t>(random_() % std::max<std::size_t>(count, 1));
}

void Audit::timed(const Times& times) {
  last_ = times;
  const bool slow = times.unseen > most_slowdown * times.usual + slack ||
                    times.usual > most_slowdown_of_usual * times.sample + slack_of_usual;
  slow_in_a_row_ = slow ? slow_in_a_row_ + 1 : 0;
}

void Audit::clocked(const Clocked& call) {
  last_clocked_ = call;
  const bool off = call.passed > most_passed * call.timed + slack_of_clock;
  off_in_a_row_ = off ? off_in_a_row_ + 1 : 0;
}

std::optional<Audit::Clocked> Audit::clock_differs() const {
  if (off_in_a_row_ < slow_audits) return std::nullopt;
  return last_clocked_;
}

std::optional<Audit::Times> Audit::slower_when_audited() const {
  if (slow_in_a_row_ < slow_audits) return std::nullopt;
  return last_;
}

}  // namespace harness
