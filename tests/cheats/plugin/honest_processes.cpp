// Honest kernels that use their process in odd ways, and put back what is not theirs.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t page = 4096;

// Work around the kernel's own.
template <void (*Before)(), void (*After)()>
class Around : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    Before();
    work();
    After();
  }
};

void nothing() {}

void print_rarely() {
  static int calls = 0;
  if (++calls % 100 == 1) std::fprintf(stderr, "a call\n");
}

void write_a_log() {
  static int calls = 0;
  if (++calls % 50 != 1) return;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("harness-honest-" + std::to_string(getpid()));
  std::ofstream(file) << "a call\n";
  std::filesystem::remove(file);
}

void open_and_close() {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
}

void read_a_file() {
  std::ifstream file("/proc/self/comm");
  std::string line;
  std::getline(file, line);
}

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
struct sigaction old_action {};
sigset_t old_mask{};
int old_rounding = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void take_a_handler() {
  struct sigaction own {};
  own.sa_handler = [](int) {};
  sigaction(SIGFPE, &own, &old_action);
}
void give_back_the_handler() {
  sigaction(SIGFPE, &old_action, nullptr);
}

void arm_a_timer() {
  const itimerval later{{0, 0}, {3600, 0}};
  setitimer(ITIMER_VIRTUAL, &later, nullptr);
}
void disarm_the_timer() {
  const itimerval never{};
  setitimer(ITIMER_VIRTUAL, &never, nullptr);
}

void round_upward() {
  old_rounding = std::fegetround();
  std::fesetround(FE_UPWARD);
}
void round_as_before() {
  std::fesetround(old_rounding);
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old_mask);
}
void unblock_signals() {
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
}

void* own_page() {
  void* const memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// A compiler at run time does so.
void make_code() {
  static void* const code = own_page();
  if (code == nullptr) return;
  mprotect(code, page, PROT_READ | PROT_WRITE);
  *static_cast<volatile unsigned char*>(code) = 0xC3;
  mprotect(code, page, PROT_READ | PROT_EXEC);
}

// Memory of its own that it may no longer write.
void protect_own_memory() {
  static const bool done = [] {
    void* const table = own_page();
    return table != nullptr && mprotect(table, page, PROT_READ) == 0;
  }();
  (void)done;
}

void load_a_library() {
  void* const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) dlclose(library);
}

void set_own_variable() {
  setenv("OWN_SETTING_OF_A_KERNEL", "1", 1);
}

void read_variables() {
  static const bool is_set = std::getenv("HOME") != nullptr;
  (void)is_set;
}

void at_exit() {
  static const bool done = std::atexit([] {}) == 0;
  (void)done;
}

void read_clocks() {
  static Clock::duration all{};
  static Clock::time_point last = Clock::now();
  all += Clock::now() - last;
  last = Clock::now();
}

void yield() {
  std::this_thread::yield();
}

void through_an_event() {
  static const int event = eventfd(0, EFD_CLOEXEC);
  std::uint64_t one = 1;
  if (event < 0) return;
  [[maybe_unused]] ssize_t done = write(event, &one, sizeof one);
  done = read(event, &one, sizeof one);
}

// Shared memory of this process alone, without a name that stays.
void private_shared_memory() {
  static void* const memory = [] {
    const std::string name = "/harness-honest-" + std::to_string(getpid());
    const int file = shm_open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return MAP_FAILED;
    void* made = ftruncate(file, page) == 0 ? mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                                            : MAP_FAILED;
    shm_unlink(name.c_str());
    close(file);
    return made;
  }();
  (void)memory;
}

// Two halves.
class Halves : public Cheat {
 public:
  using Cheat::Cheat;

 protected:
  void part(std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) y_[i] = 2 * x_[i] + 1;
  }
  void front() { part(0, n_ / 2); }
  void back() { part(n_ / 2, n_); }
};

class ThreadsOfACall : public Halves {
 public:
  using Halves::Halves;
  void run(sdk::Stream) override {
    std::thread other([this] { front(); });
    back();
    other.join();
  }
};

class Async : public Halves {
 public:
  using Halves::Halves;
  void run(sdk::Stream) override {
    const auto other = std::async(std::launch::async, [this] { front(); });
    back();
    other.wait();
  }
};

// A thread that waits for work, spinning for a while as the pools of OpenMP do.
class Pool {
 public:
  explicit Pool(std::chrono::microseconds spins) : spins_(spins), thread_([this] { serve(); }) {}
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void begin(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = std::move(work);
      begun_ = true;
    }
    wake_.notify_one();
  }
  void wait() const {
    while (begun_) std::this_thread::yield();
  }

 private:
  void serve() {
    while (true) {
      const auto end = Clock::now() + spins_;
      while (!begun_ && Clock::now() < end) {
      }
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return begun_ || ended_; });
      if (!begun_) return;
      work_();
      begun_ = false;
    }
  }

  std::chrono::microseconds spins_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void()> work_;
  std::atomic<bool> begun_ = false;
  bool ended_ = false;
  std::thread thread_;
};

class OwnPool : public Halves {
 public:
  using Halves::Halves;
  void run(sdk::Stream) override {
    pool_.begin([this] { front(); });
    back();
    pool_.wait();
  }

 private:
  Pool pool_{std::chrono::microseconds(0)};
};

// It stays when its kernel is gone, as a library's does, and sleeps then.
template <int Microseconds>
class PoolThatStays : public Halves {
 public:
  using Halves::Halves;
  void run(sdk::Stream) override {
    static auto* const pool = new Pool(std::chrono::microseconds(Microseconds));
    pool->begin([this] { front(); });
    back();
    pool->wait();
  }
};

#ifdef _OPENMP
class OpenMp : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    const std::int64_t n = n_;
    const float* const x = x_;
    float* const y = y_;
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
  }
};
#endif

class ThreadLocal : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    thread_local Results scratch;
    scratch.assign(x_, x_ + n_);
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = 2 * scratch[static_cast<std::size_t>(i)] + 1;
  }
};

}  // namespace

void add_honest_users_of_processes(sdk::Registry& registry) {
  registry.add(trial::variant<Around<print_rarely, nothing>>("prints"));
  registry.add(trial::variant<Around<nothing, write_a_log>>("writes_a_log"));
  registry.add(trial::variant<Around<open_and_close, nothing>>("opens_and_closes"));
  registry.add(trial::variant<Around<read_a_file, nothing>>("reads_a_file"));
  registry.add(trial::variant<Around<take_a_handler, give_back_the_handler>>("gives_back_a_handler"));
  registry.add(trial::variant<Around<arm_a_timer, disarm_the_timer>>("disarms_a_timer"));
  registry.add(trial::variant<Around<round_upward, round_as_before>>("gives_back_a_rounding"));
  registry.add(trial::variant<Around<block_signals, unblock_signals>>("blocks_signals"));
  registry.add(trial::variant<Around<make_code, nothing>>("makes_code"));
  registry.add(trial::variant<Around<protect_own_memory, nothing>>("protects_own_memory"));
  registry.add(trial::variant<Around<load_a_library, nothing>>("loads_a_library"));
  registry.add(trial::variant<Around<set_own_variable, nothing>>("sets_own_variable"));
  registry.add(trial::variant<Around<read_variables, nothing>>("reads_variables"));
  registry.add(trial::variant<Around<at_exit, nothing>>("at_exit"));
  registry.add(trial::variant<Around<read_clocks, read_clocks>>("reads_clocks"));
  registry.add(trial::variant<Around<yield, yield>>("yields"));
  registry.add(trial::variant<Around<through_an_event, nothing>>("through_an_event"));
  registry.add(trial::variant<Around<private_shared_memory, nothing>>("private_shared_memory"));
  registry.add(trial::variant<ThreadsOfACall>("threads_of_a_call"));
  registry.add(trial::variant<Async>("async"));
  registry.add(trial::variant<OwnPool>("own_pool"));
  registry.add(trial::variant<PoolThatStays<0>>("pool_that_stays"));
  registry.add(trial::variant<PoolThatStays<3000>>("pool_that_spins"));
#ifdef _OPENMP
  registry.add(trial::variant<OpenMp>("openmp"));
#endif
  registry.add(trial::variant<ThreadLocal>("thread_local"));
}

}  // namespace cheats
