#include "harness/device/cuda/profiling/code_watch.h"

#include <utility>

#include "harness/model/code/shifted_process.h"

namespace harness::cuda {

Result<const Cupti*> CodeWatch::library() const {
  if (outside_)
    return fail(ErrorKind::environment, "CUPTI is left to the profiler that looks at this process");
  return cupti();
}

Subscription::OnModule CodeWatch::into_book() {
  return [this](std::span<const std::byte> image) { book_.add(image); };
}

void CodeWatch::enter(const Place& place) {
  if (!tells_code(place.process) || place.placement >= 0 || case_ == place.case_id) return;
  case_ = place.case_id;
  recorder_.begin_case();
  if (!watch_) obstacle_ = attach();
}

Status CodeWatch::attach() {
  const Result<const Cupti*> found = library();
  if (!found) return fail(found.error());
  Subscription::OnCall on_call;
  if (reader_)
    on_call = [this](CUpti_CallbackId id, const CUpti_CallbackData& data) { reader_->take(id, data); };
  auto opened = Subscription::open(**found, into_book(), std::move(on_call));
  if (!opened) return fail(opened.error());
  watch_ = std::move(*opened);
  return {};
}

Status CodeWatch::watching() const {
  if (!driver_) return fail(driver_.error());
  if (!obstacle_) return obstacle_;
  if (!watch_) return fail(ErrorKind::internal, "the case was measured before its launches were read");
  return {};
}

void CodeWatch::end() {
  if (!watch_) return;
  watch_.reset();
  book_.digest();
}

std::uint64_t CodeWatch::context() const {
  CUcontext context = nullptr;
  if (driver_ && driver_->CtxGetCurrent(&context) != CUDA_SUCCESS) context = nullptr;
  return reinterpret_cast<std::uint64_t>(context);
}

std::string CodeWatch::code_hash(const std::string& kernel) {
  book_.digest();
  return book_.code_hash(kernel);
}

std::string CodeWatch::whole_hash(const DriverCall& kernel) {
  book_.digest();
  return book_.whole_hash(kernel.modules, kernel.name);
}

}  // namespace harness::cuda
