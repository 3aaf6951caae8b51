#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

#include "tests/cheats/plugin/cheats.h"

namespace cheats {
namespace {

constexpr int most_descriptors = 256;

// Samples return before the work is done; a thread does it later.
class LaterThread : public Cheat {
 public:
  using Cheat::Cheat;
  LaterThread(const LaterThread&) = delete;
  LaterThread& operator=(const LaterThread&) = delete;
  ~LaterThread() override { join(); }
  void run(sdk::Stream) override {
    if (sees_poison()) return work();
    join();
    thread_ = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      work();
    });
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  std::thread thread_;
};

class ClosesDescriptors : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    for (int one = 3; one < most_descriptors; ++one) close(one);
  }
};

// The messages of the harness reach nobody.
class SilencesDescriptors : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    const int null = open("/dev/null", O_WRONLY);
    for (int one = 3; one < most_descriptors; ++one)
      if (one != null && fcntl(one, F_GETFD) >= 0) dup2(null, one);
  }
};

// A result of its own on each pipe that the process may write to, and no other after it.
class ForgesAResult : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    constexpr std::string_view line =
        "result {\"case\": \"line/forges_a_result\", \"process\": 1, \"outcome\": \"measured\", "
        "\"metrics\": []}\ndone\n";
    for (int one = 3; one < most_descriptors; ++one) {
      struct stat found {};
      if (fstat(one, &found) != 0 || !S_ISFIFO(found.st_mode)) continue;
      if ((fcntl(one, F_GETFL) & O_ACCMODE) == O_RDONLY) continue;
      [[maybe_unused]] const ssize_t written = write(one, line.data(), line.size());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    _exit(0);
  }
};

class ChangesTheEnvironment : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    setenv("HARNESS_PREPARING_THREADS", "1", 1);
  }
};

// All loaded libraries get a clock that runs a thousand times slower, always or only while calls are made.
namespace slow_clock {

int (*real)(clockid_t, timespec*) = nullptr;
constexpr long long second = 1'000'000'000;
constexpr long long pause = 3'000'000;  // shorter than that of an audit

bool always = true;
bool slow = true;    // since it was last read
long long last = 0;  // real time when it was last read
long long told = 0;  // its own time then
long long call_ended = 0;

long long real_now() {
  timespec time{};
  real(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

int now(clockid_t clock, timespec* time) {
  const int result = real(clock, time);
  if (clock != CLOCK_MONOTONIC) return result;
  const long long passed = time->tv_sec * second + time->tv_nsec - last;
  last += passed;
  told += slow ? passed / 1000 : passed;
  slow = always;
  time->tv_sec = told / second;
  time->tv_nsec = told % second;
  return result;
}

// The entries of one library's global offset table that hold clock_gettime().
// NOLINTBEGIN(performance-no-int-to-ptr): addresses of ELF are numbers
int replace_in(dl_phdr_info* library, std::size_t, void*) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < library->dlpi_phnum; ++i)
    if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * tables[2] = {nullptr, nullptr};
  std::size_t bytes[2] = {0, 0};
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_PLTRELSZ) bytes[0] = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_RELASZ) bytes[1] = dynamic->d_un.d_val;
  }
  if (symbols == nullptr || names == nullptr || library->dlpi_name[0] == 0) return 0;
  for (int t = 0; t < 2; ++t)
    for (std::size_t i = 0; tables[t] != nullptr && i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const auto symbol = tables[t][i].r_info >> 32;
      if (symbol == 0 || std::string_view(names + symbols[symbol].st_name) != "clock_gettime") continue;
      auto* entry = reinterpret_cast<void**>(library->dlpi_addr + tables[t][i].r_offset);
      const auto page = reinterpret_cast<std::uintptr_t>(entry) & ~std::uintptr_t{4095};
      if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE) != 0) continue;
      *entry = reinterpret_cast<void*>(&now);
    }
  return 0;
}
// NOLINTEND(performance-no-int-to-ptr)

void install() {
  if (real != nullptr) return;
  real = &clock_gettime;
  last = told = real_now();
  dl_iterate_phdr(replace_in, nullptr);
}

}  // namespace slow_clock

class SlowsTheClock : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work_long(50);
    slow_clock::always = slow_clock::slow = true;
    slow_clock::install();
  }
};

// A call after a pause, which may be an audit, and all that is no call takes as long as it takes.
class SlowsTheClockBetweenPauses : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    slow_clock::always = false;
    slow_clock::install();
    const bool after_pause = slow_clock::real_now() - slow_clock::call_ended > slow_clock::pause;
    work_long(50);
    slow_clock::slow = !after_pause;
    slow_clock::call_ended = slow_clock::real_now();
  }
};

class LeavesInASample : public Cheat {
 public:
  using Cheat::Cheat;
  void run(sdk::Stream) override {
    work();
    if (++calls_ == 12) _exit(0);
  }

 private:
  int calls_ = 0;
};

}  // namespace

void add_cheats_of_processes(sdk::Registry& registry) {
  registry.add(trial::variant<LaterThread>("later_thread"));
  registry.add(trial::variant<ClosesDescriptors>("closes_descriptors"));
  registry.add(trial::variant<SilencesDescriptors>("silences_descriptors"));
  registry.add(trial::variant<LeavesInASample>("leaves_in_a_sample"));
  registry.add(trial::variant<ForgesAResult>("forges_a_result"));
  registry.add(trial::variant<ChangesTheEnvironment>("changes_the_environment"));
  registry.add(trial::variant<SlowsTheClock>("slows_the_clock"));
  registry.add(trial::variant<SlowsTheClockBetweenPauses>("slows_the_clock_between_pauses"));
}

}  // namespace cheats
