#include "harness/measure/case/subjects.h"

#include <algorithm>
#include <utility>

#include "harness/base/text.h"

namespace harness {
namespace {

Figures figures_of(const Error& error) {
  Figures figures{{"problem", printable(error.message)}};
  if (!error.advice.empty()) figures.emplace_back("advice", printable(error.advice));
  return figures;
}

}  // namespace

Subject& Subjects::add(std::string side) {
  Subject& subject = all_.emplace_back();
  subject.side = std::move(side);
  return subject;
}

Subject* Subjects::first_in() {
  const auto found = std::find_if(all_.begin(), all_.end(), [](const Subject& one) { return !one.over; });
  return found == all_.end() ? nullptr : &*found;
}

void Subjects::begin_step(CaseStep step, int placement) {
  step_ = step;
  placement_ = placement;
}

void Subjects::each(const Doing& step, Order order) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Subject& subject = all_[order == Order::backwards ? all_.size() - 1 - i : i];
    if (subject.over) continue;
    if (!subject.side.empty()) device_.profiler().turn(subject.side);
    try {
      if (const Step done = step(subject); !done) end(subject, done.error());
    } catch (const sdk::Unsupported& reason) {
      end(subject, {Outcome::skipped, cause_with_why(CauseCode::unsupported, printable(reason.what()))});
    } catch (const std::exception& problem) {
      end(subject, {Outcome::failed, {CauseCode::threw, with_step({{"what", printable(problem.what())}})}});
    } catch (...) {
      end(subject, {Outcome::failed, {CauseCode::threw, with_step({})}});
    }
  }
}

void Subjects::break_all(const Error& error) {
  each([&](Subject&) -> Step { return broken(error); });
}

void Subjects::end(Subject& subject, const Ending& ending) {
  subject.over = true;
  subject.result.outcome = ending.outcome;
  subject.result.reason = ending.cause;
  if (!ending.device_lost) return;
  Cause lost{CauseCode::other_build_failed, ending.cause.figures};
  lost.figures.emplace_back("build", subject.side);
  for (Subject& other : all_)
    if (!other.over) end(other, {Outcome::failed, lost});
}

tl::unexpected<Ending> Subjects::broken(const Error& error) const {
  return tl::unexpected<Ending>(
      Ending{Outcome::failed, {CauseCode::device_error, with_step(figures_of(error))}, true});
}

tl::unexpected<Ending> Subjects::refused(const Error& error) const {
  if (error.kind != ErrorKind::usage) return broken(error);
  return ended(Outcome::failed, {CauseCode::cannot_be_timed, figures_of(error)});
}

Figures Subjects::with_step(Figures figures) const {
  figures.emplace_back("step", std::string(name_of(step_)));
  if (placement_ > 0) figures.emplace_back("placement", placement_);
  return figures;
}

}  // namespace harness
