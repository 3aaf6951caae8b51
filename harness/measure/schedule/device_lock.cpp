#include "harness/measure/schedule/device_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto between_tries = std::chrono::milliseconds(50);
constexpr Seconds longest_silence_in_queue = 2;  // of one that waits: it was stopped
constexpr mode_t for_everybody = 0666;

tl::unexpected<Error> unusable(const fs::path& path, const std::string& why) {
  return fail(ErrorKind::environment, Location{path.string()},
              fmt::format("the device's lock cannot be used: {}", why),
              "let HARNESS_LOCK_DIR name a folder that every user of this device can write to");
}

// Without O_CREAT first: in a sticky folder such as /tmp Linux refuses O_CREAT on a file of another user
// (fs.protected_regular), though it lets everybody open what is there.
int open_shared(const fs::path& path) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < 100; ++attempt) {
    int descriptor = open(path.c_str(), flags);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    descriptor = open(path.c_str(), flags | O_CREAT | O_EXCL, for_everybody);
    if (descriptor >= 0) {
      fchmod(descriptor, for_everybody);  // whatever the umask is
      return descriptor;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

// The line that the holder wrote about itself; it may be anything.
std::string holder_in(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const std::string shown = printable(trim(line.substr(0, line.find('\n'))));
  return shown.empty() ? "another run" : shown;
}

void write_holder(int descriptor, const LockRequest& request) {
  const std::string who = request.shared
                              ? "others that share it"
                              : fmt::format("process {}, {}", getpid(), printable(request.purpose));
  const std::string line = fmt::format("{}, since {}\n", who, utc_timestamp());
  // A line that cannot be written is only missing from a message.
  [[maybe_unused]] const int cut = ftruncate(descriptor, 0);
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, line.data(), line.size(), 0);
}

// Whether the first of a queue has not tried to lock the device for a while. It sets the file's time when it
// tries.
bool is_silent(int queue) {
  struct stat status {};
  if (fstat(queue, &status) != 0) return true;
  const auto since_epoch =
      std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now - since_epoch).count() > longest_silence_in_queue;
}

}  // namespace

fs::path DeviceLock::path_of(const std::string& device) {
  const bool plain = !device.empty() && std::all_of(device.begin(), device.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
  return environment::lock_folder() / fmt::format("harness-{}.lock", plain ? device : content_hash(device));
}

Result<DeviceLock> DeviceLock::take(const LockRequest& request) {
  const fs::path path = path_of(request.device);
  const int descriptor = open_shared(path);
  if (descriptor < 0) return unusable(path, std::strerror(errno));
  DeviceLock lock(descriptor);
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return unusable(path, "is not a file");
  fs::path queue_path = path;
  queue_path.replace_extension(".queue");
  const DeviceLock queue(open_shared(queue_path));
  const Clock::time_point begin = Clock::now();
  const int mode = request.shared ? LOCK_SH : LOCK_EX;
  const bool queues = queue.descriptor_ >= 0 && !(request.patience && *request.patience <= 0);
  bool is_next = false;
  const auto taken = [&] {
    is_next = is_next || (queues && flock(queue.descriptor_, LOCK_EX | LOCK_NB) == 0);
    if (is_next) (void)futimens(queue.descriptor_, nullptr);
    return (is_next || !queues || is_silent(queue.descriptor_)) && flock(descriptor, mode | LOCK_NB) == 0;
  };
  for (bool told = false; !taken(); std::this_thread::sleep_for(between_tries)) {
    if (errno != EWOULDBLOCK && errno != EINTR) return unusable(path, std::strerror(errno));
    const Seconds waited = std::chrono::duration<double>(Clock::now() - begin).count();
    const std::string busy =
        fmt::format("device {} is in use by {}", printable(request.device), holder_in(descriptor));
    if (request.patience && waited >= *request.patience)
      return fail(
          ErrorKind::usage,
          *request.patience > 0 ? fmt::format("{}, and was for {}", busy, format_seconds(waited)) : busy,
          "wait for it with --wait, measure on another device, or stop that run");
    if (InterruptGuard::interrupted())
      return fail(ErrorKind::usage, fmt::format("interrupted: {}", busy),
                  "start it again when that run ends");
    if (!std::exchange(told, true) && request.on_wait) request.on_wait(busy);
    if (request.tick) request.tick();
  }
  write_holder(descriptor, request);
  return lock;
}

DeviceLock::DeviceLock(DeviceLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DeviceLock& DeviceLock::operator=(DeviceLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DeviceLock::~DeviceLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace harness
