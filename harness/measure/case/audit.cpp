#include "harness/measure/case/audit.h"

#include <algorithm>

namespace harness {
namespace {

constexpr int one_of_processes = 5;  // is audited
constexpr std::uint64_t one_of_others = 20;
constexpr int few_placements = 4;      // have two audits each
constexpr int certain_placements = 2;  // of a case
constexpr double share_of_sampling = 0.05;
constexpr Seconds share_of_placement = 1e-3;
// The second certain audit is made within this share of the sampling and this time.
constexpr double certain_share = 0.08;
constexpr Seconds certain_time = 20e-3;
constexpr Seconds longest_making = 0.05;  // of inputs, for a case
constexpr std::size_t first_audits = 3;   // of a suspicion: one disturbed call does not end it

Seconds least(const std::vector<Audit::Times>& all, Seconds Audit::Times::*which) {
  Seconds lowest = all.front().*which;
  for (const Audit::Times& one : all) lowest = std::min(lowest, one.*which);
  return lowest;
}

}  // namespace

bool Audit::chosen(std::uint64_t draw, int processes, int process) {
  const auto turns = static_cast<std::uint64_t>(std::clamp(processes, 1, one_of_processes));
  return draw == 0 || (draw + static_cast<std::uint64_t>(std::max(process, 0))) % turns == 0;
}

Audit::Limits Audit::on_cpu_with(int threads, std::size_t input_bytes) {
  constexpr Seconds to_wake_one = 20e-6;
  constexpr double bytes_per_second = 4e9;  // from another core's cache or from memory, by one thread
  Limits limits = on_cpu;
  limits.waking += to_wake_one * std::max(threads, 0) + static_cast<double>(input_bytes) / bytes_per_second;
  return limits;
}

bool Audit::chosen_besides(std::uint64_t nonce, std::uint64_t seed) {
  return std::mt19937_64(nonce + seed)() % one_of_others == 0;
}

Audit::Audit(const Case& audited)
    : random_(audited.nonce ^ audited.seed),
      case_(audited),
      first_seed_(std::mt19937_64(audited.nonce)()),
      placements_left_(std::max(1, audited.placements - 1)),
      certain_(std::min(certain_placements, placements_left_)),
      cost_(audited.preparation) {}

// Each set of certain placements is drawn with the same probability, from all but the first: a variant may
// work in its first calls only.
void Audit::begin_placement() {
  at_.assign(case_.placements < few_placements ? 2 : 1, 0);
  for (std::size_t& one : at_) one = 1 + draw(static_cast<std::size_t>(std::max(1, case_.samples)));
  std::sort(at_.begin(), at_.end());
  next_ = 0;
  ++placements_begun_;
  is_certain_ = false;
  if (placements_begun_ == 1 && case_.placements > 1) return;
  is_certain_ =
      draw(static_cast<std::size_t>(std::max(1, placements_left_))) < static_cast<std::size_t>(certain_);
  placements_left_ = std::max(0, placements_left_ - 1);
  if (is_certain_) --certain_;
}

bool Audit::due(std::size_t taken, bool last, Seconds sampling) {
  if (!case_.chosen) return false;
  if (next_ == at_.size() || (!last && taken < at_[next_])) return false;
  const bool first = next_++ == 0;
  if (last && !first) return false;
  const Seconds after = spent_ + cost_;
  if (is_certain_ && first) return certain_audits_++ == 0 || after <= certain_share * sampling + certain_time;
  return after <= share_of_sampling * sampling + share_of_placement * placements_begun_;
}

void Audit::audited(Seconds duration) {
  spent_ += duration;
  cost_ = duration;
}

Audit::Inputs Audit::next_inputs() const {
  const bool again = made_ > 0 && making_ > longest_making && suspicious_.empty();
  return {first_seed_ + (again ? made_ - 1 : made_), !again};
}

void Audit::made_inputs(Seconds duration) {
  ++made_;
  making_ += duration;
}

bool Audit::first_finds_results() {
  return draw(2) == 0;
}

unsigned char Audit::next_byte() {
  return static_cast<unsigned char>(1 + draw(0xFE));
}

std::size_t Audit::draw(std::size_t count) {
  return static_cast<std::size_t>(random_() % std::max<std::size_t>(count, 1));
}

bool Audit::longer_than_repeated(Seconds usual, Seconds repeated) const {
  return usual > case_.limits.rewritten_ratio * repeated + case_.limits.waking;
}

bool Audit::longer_than_usual(Seconds unseen, Seconds usual) const {
  return unseen > case_.limits.ratio * usual + case_.limits.noise;
}

Audit::Slow Audit::judge() const {
  if (suspicious_.empty()) return {};
  const Times times{least(suspicious_, &Times::usual), least(suspicious_, &Times::unseen),
                    least(suspicious_, &Times::repeated)};
  return {times,
          longer_than_usual(times.unseen, times.usual) || longer_than_repeated(times.usual, times.repeated)};
}

// A disturbance of the call on the usual inputs can hide that the other was slow, so a few audits are made
// before a suspicion ends.
void Audit::timed(const Times& times) {
  suspicious_.push_back(times);
  if (judge().slow) return;
  const bool odd = longer_than_usual(times.unseen, times.repeated) && !odd_is_usual_;
  if (odd && suspicious_.size() < first_audits) return;
  odd_is_usual_ = odd_is_usual_ || suspicious_.size() >= first_audits;
  suspicious_.clear();
}

void Audit::clocked(const Clocked& call) {
  Kind& kind = clocked_[call.paused ? 1 : 0];
  kind.last = call;
  const bool off = call.passed > most_passed * call.timed + slack_of_clock;
  kind.off_in_a_row = off ? kind.off_in_a_row + 1 : 0;
}

bool Audit::suspects() const {
  const auto some = [](auto in_a_row) { return in_a_row > 0 && in_a_row < slow_audits; };
  return some(static_cast<int>(suspicious_.size())) ||
         std::any_of(clocked_.begin(), clocked_.end(),
                     [&](const Kind& kind) { return some(kind.off_in_a_row); });
}

std::optional<Audit::Clocked> Audit::clock_differs() const {
  for (const Kind& kind : clocked_)
    if (kind.off_in_a_row >= slow_audits) return kind.last;
  return std::nullopt;
}

std::optional<Audit::Times> Audit::slower_when_audited() const {
  if (suspicious_.size() < static_cast<std::size_t>(slow_audits)) return std::nullopt;
  return judge().times;
}

}  // namespace harness
