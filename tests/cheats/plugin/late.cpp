// By work that is done later, and by what is left in the process for it: threads, handlers, timers,
// protections, code.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

constexpr std::size_t page = 4096;

// A thread that waits for work gets it, and run() does not wait for the thread.
class QueuedWork : public Cheat {
 public:
  using Cheat::Cheat;
  QueuedWork(const QueuedWork&) = delete;
  QueuedWork& operator=(const QueuedWork&) = delete;
  ~QueuedWork() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  void run(sdk::Stream) override {
    if (sees_poison()) return work();
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    {
      const std::lock_guard lock(mutex_);
      waits_ = true;
    }
    wake_.notify_one();
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
      wake_.wait(lock, [this] { return waits_ || ended_; });
      if (!waits_) return;
      waits_ = false;
      lock.unlock();
      work_long(20);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool waits_ = false, ended_ = false;
  std::thread thread_;
};

// It works on after its kernel is gone, and whatever is measured next shares the machine with it.
class BusyThread : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    static const bool started = [] {
      std::thread([] {
        static std::atomic<long> turns = 0;
        while (true) ++turns;
      }).detach();
      return true;
    }();
    (void)started;
  }
};

class LeavesATimer : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    const itimerval later{{0, 0}, {3600, 0}};
    setitimer(ITIMER_REAL, &later, nullptr);
  }
};

class LeavesAPosixTimer : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    static const bool made = [] {
      sigevent how{};
      how.sigev_notify = SIGEV_NONE;
      timer_t timer{};
      const itimerspec later{{0, 0}, {3600, 0}};
      return timer_create(CLOCK_MONOTONIC, &how, &timer) == 0 &&
             timer_settime(timer, 0, &later, nullptr) == 0;
    }();
    (void)made;
  }
};

class LeavesAHandler : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGPROF, &action, nullptr);
  }
};

class LeavesARounding : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    std::fesetround(FE_TOWARDZERO);
  }
};

// Something for a later process to find.
class LeavesMemory : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    // One file for each program that measures, so that two do not take each other's away.
    static const std::string name = "/harness-cheat-" + std::to_string(getppid());
    static const int file = shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
    (void)file;
  }
};

// The page of a function of the C library that nobody here calls.
std::uintptr_t page_of_code() {
  return reinterpret_cast<std::uintptr_t>(&ftruncate) & ~std::uintptr_t{page - 1};
}

// NOLINTBEGIN(performance-no-int-to-ptr): addresses of ELF are numbers
class PatchesCode : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    auto* const code = reinterpret_cast<unsigned char*>(page_of_code());
    if (mprotect(code, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    volatile unsigned char& byte = code[0];
    byte = byte;
    mprotect(code, page, PROT_READ | PROT_EXEC);
  }
};

class UnprotectsCode : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    mprotect(reinterpret_cast<void*>(page_of_code()), page, PROT_READ | PROT_WRITE | PROT_EXEC);
  }
};
// NOLINTEND(performance-no-int-to-ptr)

// Outputs that nobody may read, until a handler has done the work.
class LazyOutputs : public Cheat {
 public:
  using Cheat::Cheat;
  LazyOutputs(const LazyOutputs&) = delete;
  LazyOutputs& operator=(const LazyOutputs&) = delete;
  ~LazyOutputs() override {
    if (lazy == this) open();
    if (lazy == this) lazy = nullptr;
  }
  void run(sdk::Stream) override {
    if (lazy != nullptr) lazy->open();
    const auto first = reinterpret_cast<std::uintptr_t>(y_);
    const std::uintptr_t begin = (first + page - 1) / page * page;
    const std::uintptr_t end = (first + static_cast<std::uintptr_t>(n_) * sizeof(float)) / page * page;
    if (begin >= end) return work_long();
    lazy = this;
    begin_ = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    bytes_ = end - begin;
    struct sigaction action {};
    action.sa_handler = [](int) {
      lazy->open();
      lazy->work_long();
    };
    sigaction(SIGSEGV, &action, nullptr);
    mprotect(begin_, bytes_, PROT_NONE);
  }

 private:
  void open() const { mprotect(begin_, bytes_, PROT_READ | PROT_WRITE); }

  static inline LazyOutputs* lazy = nullptr;
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

// The system tells it when somebody writes its inputs. Until then it does nothing.
class WatchesInputs : public Cheat {
 public:
  using Cheat::Cheat;
  WatchesInputs(const WatchesInputs&) = delete;
  WatchesInputs& operator=(const WatchesInputs&) = delete;
  ~WatchesInputs() override { open(); }
  void bind(const sdk::Buffers& buffers) override {
    open();
    Cheat::bind(buffers);
    written_ = true;
  }
  void run(sdk::Stream) override {
    if (!written_ && !sees_poison()) return;
    work_long();
    const auto first = reinterpret_cast<std::uintptr_t>(x_);
    const std::uintptr_t begin = (first + page - 1) / page * page;
    const std::uintptr_t end = (first + static_cast<std::uintptr_t>(n_) * sizeof(float)) / page * page;
    if (begin >= end) return;
    watching = this;
    begin_ = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    bytes_ = end - begin;
    struct sigaction action {};
    action.sa_handler = [](int) { watching->open(); };
    sigaction(SIGSEGV, &action, nullptr);
    written_ = false;
    mprotect(begin_, bytes_, PROT_READ);
  }

 private:
  void open() {
    if (bytes_ > 0) mprotect(begin_, bytes_, PROT_READ | PROT_WRITE);
    bytes_ = 0;
    written_ = true;
  }

  static inline WatchesInputs* watching = nullptr;
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
  bool written_ = true;
};

}  // namespace

void add_cheats_of_later_work(sdk::Registry& registry) {
  registry.add(trial::variant<QueuedWork>("queued_work"));
  registry.add(trial::variant<BusyThread>("busy_thread"));
  registry.add(trial::variant<LeavesATimer>("leaves_a_timer"));
  registry.add(trial::variant<LeavesAPosixTimer>("leaves_a_posix_timer"));
  registry.add(trial::variant<LeavesAHandler>("leaves_a_handler"));
  registry.add(trial::variant<LeavesARounding>("leaves_a_rounding"));
  registry.add(trial::variant<LeavesMemory>("leaves_memory"));
  registry.add(trial::variant<PatchesCode>("patches_code"));
  registry.add(trial::variant<UnprotectsCode>("unprotects_code"));
  registry.add(trial::variant<LazyOutputs>("lazy_outputs"));
  registry.add(trial::variant<WatchesInputs>("watches_inputs"));
}

}  // namespace cheats
