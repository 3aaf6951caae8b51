#include "harness/device/cuda/profiling/kernel_trace.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "harness/device/cuda/profiling/activity_records.h"

namespace harness::cuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t most_buffers = 32;            // 32 MiB: some 150,000 launches
constexpr std::uint64_t enough_time = 250'000'000;  // ns
constexpr std::array kinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                           CUPTI_ACTIVITY_KIND_MEMSET};

// The buffers that CUPTI fills. Its callbacks do not say who asked, so there is one pool for the process.
// CUPTI hands every buffer back before it is read or freed.
class BufferPool {
 public:
  static BufferPool& shared() {
    static auto* const pool = new BufferPool;  // CUPTI's threads may outlive static destructors
    return *pool;
  }

  static void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = shared().lend();
    *bytes = *buffer != nullptr ? buffer_bytes : 0;  // none left: CUPTI drops records, and counts them
    *most_records = 0;                               // as many as fit
  }

  static void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                 std::size_t valid) {
    const std::lock_guard lock(shared().mutex_);
    shared().filled_.push_back({buffer, valid});
  }

  // Reads the buffers that were handed in, and keeps them for later.
  Status drain(NextRecord next, std::vector<KernelLaunch>& launches) {
    const std::lock_guard lock(mutex_);
    Status good;
    for (const Filled& one : filled_) {
      if (good) good = append_launches(one.buffer, one.valid, next, launches);
      free_.push_back(one.buffer);
    }
    filled_.clear();
    return good;
  }

 private:
  struct Filled {
    std::uint8_t* buffer;
    std::size_t valid;
  };

  std::uint8_t* lend() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* buffer = free_.back();
      free_.pop_back();
      return buffer;
    }
    if (made_ == most_buffers) return nullptr;
    ++made_;
    return static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, buffer_bytes));
  }

  std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
  std::vector<Filled> filled_;
  std::size_t made_ = 0;
};

// Switches activity kinds on, and off again in the destructor.
class Recording {
 public:
  explicit Recording(const Cupti& cupti) : cupti_(cupti) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    for (std::size_t i = 0; i < enabled_; ++i) (void)cupti_.ActivityDisable(kinds.at(i));
    // Records that an earlier trace left behind do not count.
    (void)cupti_.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    std::vector<KernelLaunch> forgotten;
    (void)BufferPool::shared().drain(cupti_.ActivityGetNextRecord, forgotten);
  }

  Status begin() {
    if (Status done =
            cupti_.check(cupti_.ActivityRegisterCallbacks(&BufferPool::requested, &BufferPool::completed),
                         "cuptiActivityRegisterCallbacks");
        !done)
      return done;
    for (const CUpti_ActivityKind kind : kinds) {
      if (Status done = cupti_.check(cupti_.ActivityEnable(kind), "cuptiActivityEnable"); !done) return done;
      ++enabled_;
    }
    return {};
  }

  // Everything recorded so far; the device must be idle.
  Result<std::vector<KernelLaunch>> end() {
    if (Status done = cupti_.check(cupti_.ActivityFlushAll(0), "cuptiActivityFlushAll"); !done)
      return fail(std::move(done.error()));
    std::size_t dropped = 0;
    if (Status done = cupti_.check(cupti_.ActivityGetNumDroppedRecords(nullptr, 0, &dropped),
                                   "cuptiActivityGetNumDroppedRecords");
        !done)
      return fail(std::move(done.error()));
    std::vector<KernelLaunch> launches;
    if (Status read = BufferPool::shared().drain(cupti_.ActivityGetNextRecord, launches); !read)
      return fail(std::move(read.error()));
    if (dropped > 0)
      return fail(ErrorKind::environment,
                  fmt::format("the profiler dropped {} of {} records", dropped, dropped + launches.size()),
                  "a call launches more than it can hold; make the case smaller");
    return launches;
  }

 private:
  const Cupti& cupti_;
  std::size_t enabled_ = 0;
};

Result<std::uint64_t> timestamp(const Cupti& cupti) {
  std::uint64_t now = 0;
  if (Status done = cupti.check(cupti.GetTimestamp(&now), "cuptiGetTimestamp"); !done)
    return fail(std::move(done.error()));
  return now;
}

Result<CallWindow> traced_round(const Cupti& cupti, const TracedWork& work) {
  if (Status done = work.before_call(); !done) return fail(std::move(done.error()));
  if (Status done = work.synchronize(); !done) return fail(std::move(done.error()));
  const Result<std::uint64_t> begin = timestamp(cupti);
  if (!begin) return fail(begin.error());
  try {
    work.call();
  } catch (...) {
    (void)work.synchronize();  // CUPTI may only be detached from an idle device
    throw;
  }
  if (Status done = work.synchronize(); !done) return fail(std::move(done.error()));
  const Result<std::uint64_t> end = timestamp(cupti);
  if (!end) return fail(end.error());
  return CallWindow{*begin, *end};
}

// `warming`: rounds that do not count, before `rounds` that do. After enough_time there are no more: kernels
// that long hardly vary, and then the first round counts, too.
Result<std::vector<KernelUse>> trace_rounds(const Cupti& cupti, const TracedWork& work, int warming,
                                            int rounds, const CodeOf& code) {
  Recording recording(cupti);
  if (Status begun = recording.begin(); !begun) return fail(std::move(begun.error()));
  std::vector<CallWindow> windows;
  std::uint64_t spent = 0;
  for (int i = -warming; i < rounds && spent < enough_time; ++i) {
    const Result<CallWindow> window = traced_round(cupti, work);
    if (!window) return fail(window.error());
    const std::uint64_t took = window->end - window->begin;
    spent += took;
    if (i >= 0 || took >= enough_time) windows.push_back(*window);
  }
  const Result<std::vector<KernelLaunch>> launches = recording.end();
  if (!launches) return fail(launches.error());
  return kernel_uses(*launches, windows, work.calls, code);
}

}  // namespace

Result<std::vector<KernelUse>> trace_round(const Cupti& cupti, const TracedWork& work, const CodeOf& code) {
  return trace_rounds(cupti, work, 0, 1, code);
}

Result<std::vector<KernelUse>> trace_kernels(const Cupti& cupti, const TracedWork& work, int rounds,
                                             Subscription::OnModule on_module, const CodeOf& code) {
  if (Status idle = work.synchronize(); !idle) return fail(std::move(idle.error()));
  const auto subscription = Subscription::open(cupti, std::move(on_module));
  if (!subscription) return fail(subscription.error());
  return trace_rounds(cupti, work, 1, rounds, code);
}

}  // namespace harness::cuda
