#include "harness/device/cuda/profiling/code_watch.h"

#include <utility>

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
  if (place.process > 1 || place.placement >= 0 || case_ == place.case_id) return;
  case_ = place.case_id;
  if (watch_) return;
  const Result<const Cupti*> found = library();
  if (!found) return;
  if (auto opened = Subscription::open(**found, into_book())) watch_ = std::move(*opened);
}

void CodeWatch::end() {
  if (!watch_) return;
  watch_.reset();
  book_.digest();
}

CodeHashes CodeWatch::hashes() {
  book_.digest();
  return book_.hashes();
}

}  // namespace harness::cuda
