#include "harness/device/host/clock_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/device/host/host_state.h"
#include "harness/device/host/nvml_library.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr Seconds patience = 10;  // for the guard to lock, and to undo
constexpr auto between_tries = std::chrono::milliseconds(20);
constexpr double usual_share = 0.75;  // of the highest SM clock

// The guard's answers: the first word, then a text for people.
constexpr std::string_view locked_word = "locked ";
constexpr std::string_view refused_word = "refused ";
constexpr std::string_view undone_word = "undone";

Error refusal(const std::string& what, int code) {
  const auto error = [&](const char* why, const char* advice) {
    return Error{ErrorKind::environment, fmt::format("{}: {}", what, why), {}, advice};
  };
  switch (code) {
    case nvml::no_permission:
      return error("the driver refuses it to this user",
                   "run as root (CAP_SYS_ADMIN in a container), have an administrator lock the clocks with "
                   "nvidia-smi -lgc, or leave --lock-clocks out");
    case nvml::not_supported: return error("this GPU does not support it", "leave --lock-clocks out");
    case nvml::invalid_argument:
      return error("the driver does not take this frequency",
                   "nvidia-smi -q -d SUPPORTED_CLOCKS lists those that there are");
    case nvml::function_not_found:
      return error("this driver's NVML has no such call", "update the driver, or leave --lock-clocks out");
    default: break;
  }
  return {ErrorKind::environment, fmt::format("{}: NVML error {}", what, code), {}, "check nvidia-smi"};
}

Result<NvmlHandle> device_of(const NvmlLibrary& nvml, const std::string& gpu) {
  if (!nvml.started())
    return fail(ErrorKind::environment,
                "clocks are locked through NVML, which is not there or does not start",
                "install the driver's libnvidia-ml.so.1, or leave --lock-clocks out");
  const NvmlHandle device = nvml.find("nvmlDeviceGetHandleByUUID", gpu);
  if (device != nullptr) return device;
  return fail(ErrorKind::environment, fmt::format("NVML knows no GPU {}", printable(gpu)),
              "only the clock of a whole GPU can be locked, not that of a CPU or of a slice");
}

Result<unsigned> frequency(const NvmlLibrary& nvml, NvmlHandle device, unsigned asked) {
  const auto highest = nvml.number("nvmlDeviceGetMaxClockInfo", device, nvml::clock_sm);
  if (asked > 0 && highest && asked > *highest)
    return fail(ErrorKind::usage,
                fmt::format("--lock-clocks: {} MHz is more than the {} MHz of this GPU", asked, *highest));
  if (asked > 0) return asked;
  if (highest) return static_cast<unsigned>(*highest * usual_share);
  return fail(ErrorKind::environment, "the driver does not tell the GPU's highest clock",
              "say the frequency: --lock-clocks=MHZ");
}

// nvmlDeviceResetGpuLockedClocks; the error tells the driver's answer.
Status free_clocks(const NvmlLibrary& nvml, const std::string& gpu) {
  const Result<NvmlHandle> device = device_of(nvml, gpu);
  if (!device) return fail(device.error());
  const auto reset = nvml.function<int(NvmlHandle)>("nvmlDeviceResetGpuLockedClocks");
  const int code = reset == nullptr ? nvml::function_not_found : reset(*device);
  if (code == nvml::success) return {};
  Error error = refusal(fmt::format("the SM clock of {} stays locked", printable(gpu)), code);
  error.advice = "free it as root: harness doctor --unlock-clocks, or nvidia-smi -rgc";
  return fail(std::move(error));
}

// Locks the open file. Waits some seconds for a guard that is about to end.
Status hold(const ClockLockFile& file, const fs::path& path) {
  if (!file.ok())
    return fail(ErrorKind::environment, Location{path.string()},
                fmt::format("no file to tell of the clock lock: {}", std::strerror(errno)),
                "let HARNESS_LOCK_DIR name a folder that this user can write to");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience / 2);
  while (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end)
      return fail(ErrorKind::usage, Location{path.string()}, "another run holds this GPU's clock locked",
                  "wait for it to end");
    std::this_thread::sleep_for(between_tries);
  }
  return {};
}

// The guard's next line; "" without an answer. A signal to this process does not end the wait.
std::string hear(Child& guard) {
  while (true) {
    auto said = guard.read_line(patience);
    if (said) return std::move(*said);
    if (said.error() != NoLine::interrupted) return {};
  }
}

// A guard that does not answer is not killed, because it must still undo the lock.
void let_go(std::unique_ptr<Child> guard) {
  [[maybe_unused]] const Child* forgotten = guard.release();
}

void answer(const std::string& line) {
  const std::string text = line + "\n";
  [[maybe_unused]] const ssize_t count = write(message_descriptor, text.data(), text.size());
}

std::string in_one_line(const Error& error) {
  return printable(error.message + (error.advice.empty() ? "" : "; " + error.advice));
}

// The guard's work: locks, waits for the end of the run, and undoes the lock.
Status guard_clocks(const NvmlLibrary& nvml, NvmlHandle device, const ClockLockNote& note) {
  const fs::path path = clock_lock_path(note.gpu);
  const auto lock = nvml.function<int(NvmlHandle, unsigned, unsigned)>("nvmlDeviceSetGpuLockedClocks");
  const std::string what = fmt::format("the SM clock cannot be locked at {} MHz", note.mhz);
  if (lock == nullptr) return fail(refusal(what, nvml::function_not_found));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const ClockLockFile file(path, O_RDWR | O_CREAT);
    if (const Status held = hold(file, path); !held) return held;
    struct stat mine {};
    if (fstat(file.descriptor(), &mine) != 0 || mine.st_nlink == 0) continue;  // the last guard removed it
    const std::string text = encode(note);
    if (ftruncate(file.descriptor(), 0) != 0 ||
        pwrite(file.descriptor(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
        fsync(file.descriptor()) != 0)
      return fail(ErrorKind::environment, Location{path.string()},
                  fmt::format("cannot be written: {}", std::strerror(errno)));
    if (const int code = lock(device, note.mhz, note.mhz); code != nvml::success) {
      unlink(path.c_str());
      return fail(refusal(what, code));
    }
    answer(fmt::format("{}{}", locked_word, note.mhz));
    char byte = 0;
    while (true) {  // until the run ends
      const ssize_t count = read(STDIN_FILENO, &byte, 1);
      if (count == 0 || (count < 0 && errno != EINTR)) break;
    }
    if (Status freed = free_clocks(nvml, note.gpu); !freed) return freed;
    unlink(path.c_str());
    answer(std::string(undone_word));
    return {};
  }
  return fail(ErrorKind::environment, Location{path.string()}, "cannot be held");
}

}  // namespace

Status undo_clock_lock(const std::string& gpu) {
  const fs::path path = clock_lock_path(gpu);
  const ClockLockFile file(path, O_RDONLY);
  if (!file.ok())
    return fail(ErrorKind::missing, fmt::format("no clock lock of harness's is known on {}", printable(gpu)),
                "`nvidia-smi -rgc` frees clocks that something else locked");
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0)
    return fail(ErrorKind::usage,
                fmt::format("the clock lock of {} is in use by a run that still measures", printable(gpu)),
                "it undoes the lock itself when it ends");
  const NvmlLibrary nvml;
  if (Status freed = free_clocks(nvml, gpu); !freed) return freed;
  std::error_code code;
  fs::remove(path, code);
  return {};
}

int run_clock_guard(const std::string& gpu, unsigned mhz, int holder) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2})
    signal(number, SIG_IGN);
  const auto refuse = [](const Error& error) {
    answer(std::string(refused_word) + in_one_line(error));
    return EXIT_FAILURE;
  };
  const NvmlLibrary nvml;
  const Result<NvmlHandle> device = device_of(nvml, gpu);
  if (!device) return refuse(device.error());
  const Result<unsigned> chosen = frequency(nvml, *device, mhz);
  if (!chosen) return refuse(chosen.error());
  const Status guarded =
      guard_clocks(nvml, *device, {gpu, *chosen, holder, utc_timestamp(), boot_identity()});
  return guarded ? EXIT_SUCCESS : refuse(guarded.error());
}

Result<ClockLock> ClockLock::take(const std::string& gpu, unsigned mhz, std::vector<std::string> guard) {
  if (guard.empty()) guard = {this_program().string(), "clock-guard"};
  for (const std::string& word : {gpu, std::to_string(mhz), std::to_string(getpid())}) guard.push_back(word);
  Result<Child> child = Child::start({.argv = std::move(guard), .outlives_parent = true}, {});
  if (!child) return fail(child.error());
  auto running = std::make_unique<Child>(std::move(*child));
  const std::string line = hear(*running);
  unsigned locked = 0;
  if (line.starts_with(locked_word))
    std::from_chars(line.data() + locked_word.size(), line.data() + line.size(), locked);
  if (locked > 0) return ClockLock(gpu, locked, std::move(running));
  running->end_input();
  if (line.starts_with(refused_word)) {
    running->wait();
    return fail(ErrorKind::environment, "--lock-clocks: " + line.substr(refused_word.size()));
  }
  let_go(std::move(running));
  return fail(ErrorKind::environment, "--lock-clocks: the guard that is to undo the lock does not answer",
              "see that HARNESS_NVML, if set, names the driver's library");
}

ClockLock::ClockLock(std::string gpu, unsigned mhz, std::unique_ptr<Child> guard)
    : gpu_(std::move(gpu)), mhz_(mhz), guard_(std::move(guard)) {}

ClockLock::ClockLock(ClockLock&&) noexcept = default;

ClockLock::~ClockLock() {
  if (const Status undone = undo(); !undone) fmt::print(stderr, "{}\n", undone.error().text());
}

Status ClockLock::undo() {
  if (!guard_) return {};
  std::unique_ptr<Child> guard = std::move(guard_);
  guard->end_input();
  const std::string line = hear(*guard);
  if (line == undone_word) {
    guard->wait();
    return {};
  }
  let_go(std::move(guard));
  return fail(
      ErrorKind::environment,
      line.starts_with(refused_word)
          ? line.substr(refused_word.size())
          : fmt::format("the SM clock of {} may still be locked: its guard does not answer", printable(gpu_)),
      "free it as root: harness doctor --unlock-clocks, or nvidia-smi -rgc");
}

}  // namespace harness
