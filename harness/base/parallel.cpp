#include "harness/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace harness {
namespace {

// The next index to work on, and the first exception.
class Indices {
 public:
  Indices(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void work_off() {
    try {
      for (std::size_t i = next_++; i < count_; i = next_++) work_(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;  // each thread adds at most one more to it
    }
  }

  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void for_each_index(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  if (threads == 0) threads = std::thread::hardware_concurrency();
  const std::size_t most = std::min<std::size_t>(std::max(threads, 1U), count);
  Indices indices(count, work);
  {
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < most) helpers.emplace_back([&] { indices.work_off(); });
    } catch (const std::system_error&) {  // no more threads: those that were started do all the work
    }
    indices.work_off();
  }
  indices.throw_failure();
}

}  // namespace harness
