#include "harness/measure/worker/leftovers.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <string_view>
#include <thread>

#include "harness/base/bulk_hash.h"
#include "harness/base/environment.h"
#include "harness/base/process.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

// A thread that works so much of the time that nobody calls it is no pool's.
constexpr double busy_share = 0.5;
constexpr std::chrono::milliseconds window{5};

// By a system call of this function's own, because code may have replaced the C library's.
std::uintptr_t handler_of(int signal) {
  if (signal > SIGSYS && signal < SIGRTMIN)
    return 0;                                      // the C library's own, which come with the first thread
  std::array<std::uintptr_t, 32> kernel_action{};  // its first member is the handler, its last a mask
  constexpr std::size_t mask_bytes = 8;
  if (syscall(SYS_rt_sigaction, signal, nullptr, kernel_action.data(), mask_bytes) != 0) return 0;
  return kernel_action[0];
}

std::set<std::string> running_timers() {
  std::set<std::string> timers;
  constexpr std::pair<__itimer_which_t, const char*> kinds[] = {
      {ITIMER_REAL, "ITIMER_REAL"}, {ITIMER_VIRTUAL, "ITIMER_VIRTUAL"}, {ITIMER_PROF, "ITIMER_PROF"}};
  for (const auto& [kind, name] : kinds) {
    itimerval value{};
    if (getitimer(kind, &value) == 0 && (value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0))
      timers.insert(name);
  }
  std::ifstream file("/proc/self/timers");
  for (std::string line; std::getline(file, line);) {
    int id = 0;
    if (std::sscanf(line.c_str(), "ID: %d", &id) != 1) continue;
    itimerspec value{};
    if (syscall(SYS_timer_gettime, id, &value) == 0 &&
        (value.it_value.tv_sec != 0 || value.it_value.tv_nsec != 0))
      timers.insert(fmt::format("POSIX timer {}", id));
  }
  return timers;
}

std::set<int> all_threads() {
  std::set<int> threads;
  std::error_code code;
  for (const auto& one : fs::directory_iterator("/proc/self/task", code)) {
    const std::string name = one.path().filename();
    int id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    threads.insert(id);
  }
  return threads;
}

// How long it has worked, in seconds; std::nullopt: it has ended, or the kernel does not tell.
std::optional<Seconds> time_worked(int thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/schedstat", thread));
  double nanoseconds = 0;
  if (!(file >> nanoseconds)) return std::nullopt;
  return nanoseconds * 1e-9;
}

struct Mapping {
  std::uint64_t begin = 0, end = 0;
  std::string rights;
  std::string file;
};

// All mappings of files.
std::vector<Mapping> file_mappings() {
  std::vector<Mapping> all;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    Mapping one;
    unsigned long long begin = 0, end = 0;
    std::array<char, 5> rights{};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, rights.data()) != 3) continue;
    one.begin = begin, one.end = end;
    one.rights.assign(rights.data(), 3);
    one.file = line.substr(slash);
    all.push_back(std::move(one));
  }
  return all;
}

// Not as a part of a longer number.
bool has_own_number(std::string_view name) {
  const std::string number = std::to_string(getpid());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = name.find(number); at != std::string_view::npos; at = name.find(number, at + 1)) {
    const std::size_t end = at + number.size();
    if ((at == 0 || !is_digit(name[at - 1])) && (end == name.size() || !is_digit(name[end]))) return true;
  }
  return false;
}

// A name that tells its process speaks to nobody else, nor does a file without a name. CUDA has files of its
// own.
bool speaks_to_others(std::string_view file) {
  constexpr std::string_view folder = "/dev/shm/";
  return file.starts_with(folder) && !file.ends_with(" (deleted)") &&
         !file.substr(folder.size()).starts_with("cuda.") && !has_own_number(file);
}

// Shared memory that this process has open.
std::set<std::string> open_shared_memory() {
  std::set<std::string> files;
  std::error_code code;
  for (const auto& one : fs::directory_iterator("/proc/self/fd", code)) {
    const fs::path file = fs::read_symlink(one.path(), code);
    if (!code && speaks_to_others(file.native())) files.insert(file);
  }
  return files;
}

// Whether it runs, or waits for a CPU that others use.
bool wants_to_run(int thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/stat", thread));
  std::string text;
  std::getline(file, text);
  const std::size_t name_ends = text.rfind(") ");
  return name_ends != std::string::npos && text[name_ends + 2] == 'R';
}

// Pages that are present but no longer the file's: somebody wrote there.
std::size_t written_pages(const Mapping& mapping, int pagemap) {
  constexpr std::uint64_t present = std::uint64_t{1} << 63, of_file = std::uint64_t{1} << 61;
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<std::uint64_t> entries((mapping.end - mapping.begin) / page);
  const auto bytes = static_cast<ssize_t>(entries.size() * sizeof(std::uint64_t));
  const auto at = static_cast<off_t>(mapping.begin / page * sizeof(std::uint64_t));
  if (pagemap < 0 || pread(pagemap, entries.data(), static_cast<std::size_t>(bytes), at) != bytes) return 0;
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [](std::uint64_t one) {
    return (one & present) != 0 && (one & of_file) == 0;
  }));
}

// The tables of functions that the loader fills in and then protects.
int hash_table(dl_phdr_info* object, std::size_t, void* into) {
  auto& tables = *static_cast<std::map<std::string, std::string>*>(into);
  const std::string file = object->dlpi_name == nullptr || *object->dlpi_name == '\0'
                               ? this_program().string()
                               : object->dlpi_name;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_GNU_RELRO) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of ELF are numbers
    const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    // A file that is opened again elsewhere has other addresses in its tables.
    tables[fmt::format("{}@{:x}", file, object->dlpi_addr)] +=
        bulk_hash(std::string_view(begin, part.p_memsz));
  }
  return 0;
}

bool is_one_of(const std::string& file, const std::vector<std::string>& files) {
  return std::find(files.begin(), files.end(), file) != files.end();
}

std::string name_of_signal(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

// A file that is in both, and that `changed` tells of.
template <class Value, class Changed>
std::optional<std::string> first_changed(const std::map<std::string, Value>& before,
                                         const std::map<std::string, Value>& after, const Changed& changed) {
  for (const auto& [file, value] : before) {
    const auto now = after.find(file);
    if (now != after.end() && changed(value, now->second)) return file;
  }
  return std::nullopt;
}

// Whether as much of a file is mapped as before, with other rights.
bool protected_otherwise(const std::map<std::string, std::size_t>& before,
                         const std::map<std::string, std::size_t>& now) {
  const auto sum = [](const std::map<std::string, std::size_t>& of_rights) {
    return std::accumulate(of_rights.begin(), of_rights.end(), std::size_t{0},
                           [](std::size_t bytes, const auto& one) { return bytes + one.second; });
  };
  return before.contains("r-x") && before != now && sum(before) == sum(now);
}

template <class Value>
std::optional<Value> first_new(const std::set<Value>& before, const std::set<Value>& after) {
  for (const Value& one : after)
    if (!before.contains(one)) return one;
  return std::nullopt;
}

// The usual settings of people who want no thread to fall asleep. Read before a case can change them.
bool may_spin_on() {
  const std::map<std::string, std::string> all = environment::seen_by_workers();
  const auto set_to = [&](const char* name, const char* value) {
    const auto found = all.find(name);
    return found != all.end() && strcasecmp(found->second.c_str(), value) == 0;
  };
  return set_to("OMP_WAIT_POLICY", "active") || set_to("KMP_BLOCKTIME", "infinite") ||
         all.contains("GOMP_SPINCOUNT");
}

// A thread that does not rest, for as long as the caller is patient.
std::optional<int> first_busy(std::set<int> threads, Seconds patience) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
  while (!threads.empty()) {
    std::map<int, Seconds> before;
    for (const int one : threads)
      if (const auto worked = time_worked(one)) before[one] = *worked;
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(window);
    const Seconds passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::set<int> busy;
    for (const auto& [one, worked] : before)
      if (wants_to_run(one) || time_worked(one).value_or(0) - worked > busy_share * passed) busy.insert(one);
    threads = std::move(busy);
    if (!threads.empty() && std::chrono::steady_clock::now() >= end) return *threads.begin();
  }
  return std::nullopt;
}

}  // namespace

// Under the names that the system gives them, too.
Leftovers::Leftovers(std::vector<std::string> own) : own_(std::move(own)), threads_may_spin_(may_spin_on()) {
  for (std::size_t i = own_.size(); i-- > 0;) {
    std::error_code code;
    if (const fs::path real = fs::canonical(own_[i], code); !code) own_.push_back(real);
  }
  before_ = read();
}

// Libraries of others handle signals of their own, and for good: of ended children, of broken pipes, of the
// end of the process.
bool Leftovers::is_code_of_case(std::uintptr_t handler) const {
  constexpr std::uintptr_t least = 4096;  // SIG_DFL, SIG_IGN
  if (handler < least) return false;
  const std::vector<Mapping> mappings = file_mappings();
  const auto of_file = std::find_if(mappings.begin(), mappings.end(), [&](const Mapping& one) {
    return one.begin <= handler && handler < one.end;
  });
  return of_file == mappings.end() || is_one_of(of_file->file, own_);
}

ProcessState Leftovers::read() const {
  ProcessState state;
  for (int signal = 1; signal < ProcessState::signals; ++signal)
    state.handlers[static_cast<std::size_t>(signal)] = handler_of(signal);
  state.rounding = std::fegetround();
  state.timers = running_timers();
  state.threads = all_threads();
  state.shared = open_shared_memory();
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  for (const Mapping& one : file_mappings()) {
    if (speaks_to_others(one.file)) state.shared.insert(one.file);
    if (is_one_of(one.file, own_)) continue;
    state.maps[one.file][one.rights] += one.end - one.begin;
    if (one.rights == "r-x") state.patched[one.file] += written_pages(one, pagemap);
  }
  if (pagemap >= 0) close(pagemap);
  dl_iterate_phdr(hash_table, &state.tables);
  std::erase_if(state.tables,
                [&](const auto& one) { return is_one_of(one.first.substr(0, one.first.rfind('@')), own_); });
  return state;
}

std::optional<Leftover> Leftovers::look(const std::function<void()>& end_own, Seconds patience) {
  const ProcessState before = std::exchange(before_, read());
  const ProcessState& now = before_;
  for (int signal = 1; signal < ProcessState::signals; ++signal) {
    const std::uintptr_t handler = now.handlers[static_cast<std::size_t>(signal)];
    if (before.handlers[static_cast<std::size_t>(signal)] != handler && is_code_of_case(handler))
      return Leftover{"handler", name_of_signal(signal)};
  }
  if (before.rounding != now.rounding) return Leftover{"rounding", ""};
  if (const auto timer = first_new(before.timers, now.timers)) return Leftover{"timer", *timer};
  const auto written = [](std::size_t then, std::size_t pages) { return pages > then; };
  if (const auto file = first_changed(before.patched, now.patched, written)) return Leftover{"code", *file};
  if (const auto file = first_changed(before.tables, now.tables, std::not_equal_to<>()))
    return Leftover{"code", *file};
  if (const auto file = first_changed(before.maps, now.maps, protected_otherwise))
    return Leftover{"protection", *file};
  if (const auto file = first_new(before.shared, now.shared)) return Leftover{"memory", *file};
  std::set<int> threads = now.threads;
  for (const int one : before.threads) threads.erase(one);
  if (threads_may_spin_ || !first_busy(threads, 0)) return std::nullopt;
  if (end_own) end_own();
  if (const auto thread = first_busy(std::move(threads), patience))
    return Leftover{"thread", std::to_string(*thread)};
  return std::nullopt;
}

}  // namespace harness
