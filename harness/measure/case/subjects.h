// Subjects: the builds that are measured in one process, and which have not ended. Does a step for each of
// them, and turns exceptions and errors into the cause that ends a build. One thread uses it.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "harness/device/device.h"
#include "harness/measure/case/subject.h"
#include "harness/model/case_step.h"

namespace harness {

class Subjects {
 public:
  enum class Order { forwards, backwards };
  using Doing = std::function<Step(Subject&)>;

  explicit Subjects(Device& device) : device_(device) {}

  Subject& add(std::string side);
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] auto begin() { return all_.begin(); }
  [[nodiscard]] auto end() { return all_.end(); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }
  Subject& last() { return all_.back(); }
  // The first that is still in; null when none is.
  Subject* first_in();

  // Names the step at hand, for causes. `placement`: that it belongs to, from 1; 0: none.
  void begin_step(CaseStep step, int placement = 0);
  // Does `step` for each subject that is still in. A subject that ends is out, and the others go on.
  void each(const Doing& step, Order order = Order::forwards);
  // Ends all subjects that are still in.
  void break_all(const Error& error);

  // An error of the device in the step at hand.
  [[nodiscard]] tl::unexpected<Ending> broken(const Error& error) const;
  // A call that cannot be timed as the suite asks for (an error of kind `usage`), or an error of the device.
  [[nodiscard]] tl::unexpected<Ending> refused(const Error& error) const;

 private:
  void end(Subject& subject, const Ending& ending);
  [[nodiscard]] Figures with_step(Figures figures) const;

  Device& device_;
  std::deque<Subject> all_;
  CaseStep step_ = CaseStep::look_up;
  int placement_ = 0;
};

}  // namespace harness
