// CodeWatch: learns through CUPTI which machine code a case loads and which driver calls it makes, until
// something is timed. Then CUPTI is detached. One thread uses it; the callbacks come on any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/device/code/case_recorder.h"
#include "harness/device/code/code_book.h"
#include "harness/device/cuda/profiling/calls/call_reader.h"
#include "harness/device/cuda/profiling/driver.h"
#include "harness/device/cuda/profiling/subscription.h"
#include "harness/device/profiler.h"

namespace harness::cuda {

class CodeWatch {
 public:
  // `profiled_from_outside`: CUPTI belongs to another profiler, and is never attached here.
  explicit CodeWatch(bool profiled_from_outside) : outside_(profiled_from_outside) {
    if (driver_) reader_.emplace(*driver_, recorder_, book_);
  }
  CodeWatch(const CodeWatch&) = delete;
  CodeWatch& operator=(const CodeWatch&) = delete;

  // Begins to watch, where tells_code(): other processes load the same code, and attaching CUPTI takes time.
  // Silent where CUPTI is not available: kernels() says why.
  void enter(const Place& place);
  void turn(std::string_view side) {
    book_.turn(side);
    recorder_.turn(side);
  }
  void end();
  // Whether it watches the case at hand, or the reason why it cannot.
  [[nodiscard]] Status watching() const;

  [[nodiscard]] CaseRecorder& recorder() { return recorder_; }
  [[nodiscard]] const std::string& case_id() const { return case_; }

  // CUPTI, for whoever attaches it next; an Error when it is not to be had.
  [[nodiscard]] Result<const Cupti*> library() const;
  [[nodiscard]] Subscription::OnModule into_book();
  // Handle of the context that is current, as launches have it; 0 without a driver to ask.
  [[nodiscard]] std::uint64_t context() const;
  // The code of a kernel among all that was loaded so far: CodeBook::code_hash(), CodeBook::whole_hash().
  [[nodiscard]] std::string code_hash(const std::string& kernel);
  [[nodiscard]] std::string whole_hash(const DriverCall& kernel);

 private:
  Status attach();

  CodeBook book_;
  CaseRecorder recorder_;
  Result<Driver> driver_ = load_driver();
  std::optional<CallReader> reader_;  // where there is a driver to ask
  std::unique_ptr<Subscription> watch_;
  Status obstacle_ = {};
  std::string case_;
  bool outside_;
};

}  // namespace harness::cuda
