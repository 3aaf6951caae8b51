#include "harness/device/cuda/steady_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/device/cuda/check.h"
#include "harness/device/cuda/timing/clock.h"

namespace harness::cuda {
namespace {

constexpr std::size_t rounds_ahead = 6;
constexpr std::size_t least_ahead = 2;  // the next is queued before one ends
constexpr Seconds time_ahead = 20e-3;

// Two events around each of the rounds that have not been seen to end, and around the last that has.
class RoundEvents {
 public:
  RoundEvents() = default;
  RoundEvents(const RoundEvents&) = delete;
  RoundEvents& operator=(const RoundEvents&) = delete;
  ~RoundEvents() {
    for (cudaEvent_t event : all())
      if (event != nullptr) (void)cudaEventDestroy(event);
  }

  Status create() {
    for (Pair& pair : pairs_)
      for (cudaEvent_t* event : {&pair.begin, &pair.end})
        if (auto status = check(cudaEventCreate(event), "cudaEventCreate"); !status) return status;
    return check(cudaEventCreate(&origin), "cudaEventCreate");
  }

  struct Pair {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
  };
  Pair& of(std::size_t round) { return pairs_[round % pairs_.size()]; }

  cudaEvent_t origin = nullptr;

 private:
  [[nodiscard]] std::vector<cudaEvent_t> all() const {
    std::vector<cudaEvent_t> events{origin};
    for (const Pair& pair : pairs_) events.insert(events.end(), {pair.begin, pair.end});
    return events;
  }

  std::array<Pair, rounds_ahead + 1> pairs_;
};

class SteadyWork {
 public:
  SteadyWork(WorkQueue& queue, const Round& round) : queue_(queue), stream_(queue.use()), round_(round) {}

  Result<std::vector<EndedCalls>> go(Seconds duration) {
    if (auto status = events_.create(); !status) return fail(std::move(status.error()));
    if (auto status = record(events_.origin); !status) return fail(std::move(status.error()));
    const Seconds until = host_now() + duration;
    while (host_now() + ahead() < until) {
      if (queued_ - ended_ < most_ahead()) {
        if (auto status = queue_round(); !status) return fail(std::move(status.error()));
      } else if (auto status = see_end(); !status) {
        return fail(std::move(status.error()));
      }
    }
    while (ended_ < queued_)
      if (auto status = see_end(); !status) return fail(std::move(status.error()));
    for (EndedCalls& one : progress_) one.at += offset_;
    return std::move(progress_);
  }

 private:
  // The time of a round, by those that have ended; 0 before one has.
  [[nodiscard]] Seconds round_time() const {
    return ended_ == 0 ? 0 : (progress_.back().at - progress_.front().at) / static_cast<double>(ended_);
  }

  // How long the queued rounds take, at most.
  [[nodiscard]] Seconds ahead() const { return static_cast<double>(queued_ - ended_) * round_time(); }

  // As many rounds as take `time_ahead`, so that long ones do not go on long after the end.
  [[nodiscard]] std::size_t most_ahead() const {
    if (ended_ == 0) return least_ahead;
    const double rounds = std::ceil(time_ahead / std::max(round_time(), time_ahead / rounds_ahead));
    return std::clamp(static_cast<std::size_t>(rounds), least_ahead, rounds_ahead);
  }

  Status record(cudaEvent_t event) { return check(cudaEventRecord(event, stream_), "cudaEventRecord"); }

  Status queue_round() {
    const RoundEvents::Pair& pair = events_.of(queued_);
    if (auto status = record(pair.begin); !status) return status;
    queue_.peers().call(stream_, round_.work);
    if (auto status = check(cudaGetLastError(), "queueing calls one after the other"); !status) return status;
    ++queued_;
    return record(pair.end);
  }

  static Result<Seconds> between(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds = 0;
    if (auto status = check(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime"); !status)
      return fail(std::move(status.error()));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  // Waits for the oldest round.
  Status see_end() {
    const RoundEvents::Pair& pair = events_.of(ended_);
    if (auto status =
            check(cudaEventSynchronize(pair.end), "calls one after the other (cudaEventSynchronize)");
        !status)
      return status;
    const Seconds seen = host_now();
    const Result<Seconds> end = between(events_.origin, pair.end);
    if (!end) return fail(end.error());
    offset_ = std::min(offset_, seen - *end);
    const bool first = ended_ == 0;
    const Result<Seconds> since = between(first ? events_.origin : events_.of(ended_ - 1).end, pair.begin);
    if (!since) return fail(since.error());
    if (first)
      progress_.push_back({0, *since, 0});
    else
      idle_ += *since;
    ++ended_;
    progress_.push_back({static_cast<std::int64_t>(ended_) * round_.calls, *end, idle_});
    return {};
  }

  WorkQueue& queue_;
  cudaStream_t stream_;
  const Round& round_;
  RoundEvents events_;
  std::size_t queued_ = 0;  // rounds
  std::size_t ended_ = 0;   // of these, as far as seen
  Seconds idle_ = 0;
  Seconds offset_ = std::numeric_limits<double>::infinity();  // of the host's clock to the events'
  std::vector<EndedCalls> progress_;
};

}  // namespace

Result<std::vector<EndedCalls>> work_through(WorkQueue& queue, const Round& round, Seconds duration) {
  return SteadyWork(queue, round).go(duration);
}

}  // namespace harness::cuda
