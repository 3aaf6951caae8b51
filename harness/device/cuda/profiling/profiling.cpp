#include "harness/device/cuda/profiling/profiling.h"

#include <utility>

#include "harness/device/cuda/profiling/counter_session.h"

namespace harness::cuda {
namespace {

constexpr int traced_rounds = 5;  // a median, at little cost

}  // namespace

Result<const Cupti*> Profiling::library() const {
  if (left_) return fail(ErrorKind::environment, "CUPTI is left to the profiler that looks at this process");
  return cupti();
}

Subscription::OnModule Profiling::into_book() {
  return [this](std::span<const std::byte> image) { book_.add(image); };
}

void Profiling::enter(const Place& place) {
  if (place.process > 1 || place.placement >= 0 || case_ == place.case_id) return;
  case_ = place.case_id;
  if (watch_) return;
  const Result<const Cupti*> found = library();
  if (!found) return;
  if (auto opened = Subscription::open(**found, into_book())) watch_ = std::move(*opened);
}

void Profiling::end_watch() {
  if (!watch_) return;
  watch_.reset();
  book_.digest();
}

Result<std::vector<KernelUse>> Profiling::kernels(const TracedWork& work) {
  end_watch();
  const Result<const Cupti*> found = library();
  if (!found) return fail(found.error());
  return trace_kernels(**found, work, traced_rounds, into_book(), [this] {
    book_.digest();
    return book_.hashes();
  });
}

Result<std::vector<CounterValue>> Profiling::counters(const TracedWork& work, CUcontext context, int ordinal,
                                                      const std::vector<std::string>& names) {
  end_watch();
  const Result<const Cupti*> found = library();
  if (!found) {
    std::vector<CounterValue> values;
    for (const std::string& name : names) values.push_back({name, std::nullopt, {}, found.error().message});
    return values;
  }
  return read_counters(**found, context, ordinal, work, names);
}

}  // namespace harness::cuda
