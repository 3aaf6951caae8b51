// Pool: a fixed set of threads that a CPU variant owns for the life of its Kernel object. Idle threads
// sleep on a condition variable, so a kernel that exists but does not run takes no time from the one that
// does. for_each() is called from one thread at a time; the tasks run on all of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernels {

class Pool {
 public:
  // task(index, worker): worker is in [0, threads()) and tells which thread runs it, for scratch memory of
  // its own. A task must not throw and must not call for_each().
  using Task = std::function<void(std::int64_t index, int worker)>;

  // `threads` counts the caller of for_each(), which works too; at least 1 is used.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls task once for every index in [0, count), in no fixed order; returns when all are done.
  void for_each(std::int64_t count, const Task& task);

 private:
  void work(int worker);
  void drain(const Task& task, std::int64_t count, int worker);

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const Task* task_ = nullptr;
  std::int64_t count_ = 0;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool stop_ = false;
  std::atomic<std::int64_t> next_{0};
  std::vector<std::jthread> workers_;
};

// How many threads a variant should use on a device with `hardware_threads` of them (0: not known).
int usable_threads(int hardware_threads);

}  // namespace kernels
