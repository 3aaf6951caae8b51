#include "kernels/cpu_pool.h"

#include <algorithm>

namespace kernels {

int usable_threads(int hardware_threads) {
  if (hardware_threads > 0) return hardware_threads;
  static const int of_machine = static_cast<int>(std::thread::hardware_concurrency());  // reads a file
  return std::max(1, of_machine);
}

Pool::Pool(int threads) {
  for (int worker = 1; worker < threads; ++worker) workers_.emplace_back([this, worker] { work(worker); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
}

void Pool::for_each(std::int64_t count, const Task& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    busy_ = static_cast<int>(workers_.size());
    ++round_;
  }
  start_.notify_all();
  drain(task, count, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  task_ = nullptr;
}

void Pool::work(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const Task* const task = task_;
    const std::int64_t count = count_;
    lock.unlock();
    drain(*task, count, worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void Pool::drain(const Task& task, std::int64_t count, int worker) {
  while (true) {
    const std::int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count) return;
    task(index, worker);
  }
}

}  // namespace kernels
