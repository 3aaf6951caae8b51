#include "harness/device/cpu/cpu_threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace harness {
namespace {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);  // refused: unpinned is good enough
}

}  // namespace

int usable_threads() {
  const std::size_t allowed = allowed_cpus().size();
  if (allowed > 0) return static_cast<int>(allowed);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void on_every_thread(int threads, const std::function<void(int)>& work) {
  const std::vector<int> cpus = allowed_cpus();
  std::vector<std::thread> running;
  std::vector<int> left_over;
  for (int thread = 0; thread < threads; ++thread) {
    try {
      running.emplace_back([&, thread] {
        if (!cpus.empty()) pin_to(cpus[static_cast<std::size_t>(thread) % cpus.size()]);
        work(thread);
      });
    } catch (const std::system_error&) {
      left_over.push_back(thread);
    }
  }
  for (std::thread& thread : running) thread.join();
  for (const int thread : left_over) work(thread);
}

}  // namespace harness
