#include "harness/measure/worker/device_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace harness {
namespace {

constexpr int token_byte = 0;
constexpr int quiet_byte = 1;
constexpr int first_worker_byte = 2;
constexpr int most_workers_at_once = 64;

constexpr std::size_t bytes_worth_it = std::size_t{1} << 20;
constexpr double operations_worth_it = 1e6;

struct flock range(short how, int byte) {
  struct flock one {};
  one.l_type = how;
  one.l_whence = SEEK_SET;
  one.l_start = byte;
  one.l_len = 1;
  return one;
}

// False: somebody else holds it.
bool try_lock(int descriptor, short how, int byte) {
  struct flock one = range(how, byte);
  while (fcntl(descriptor, F_OFD_SETLK, &one) != 0) {
    if (errno == EAGAIN || errno == EACCES) return false;
    if (errno == EINTR) continue;
    fmt::print(stderr, "the lock of the device that workers share failed: {}\n", std::strerror(errno));
    std::fflush(stderr);
    _exit(EXIT_FAILURE);
  }
  return true;
}

}  // namespace

Result<DeviceToken> DeviceToken::open(const std::filesystem::path& file, OnWait on_wait) {
  if (file.empty()) return DeviceToken();
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    return fail(ErrorKind::environment, Location{file.string()},
                fmt::format("the file that workers share cannot be opened: {}", std::strerror(errno)));
  return DeviceToken(descriptor, std::move(on_wait));
}

DeviceToken::DeviceToken(DeviceToken&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      on_wait_(std::move(other.on_wait_)),
      quiet_(std::exchange(other.quiet_, false)) {}

DeviceToken& DeviceToken::operator=(DeviceToken&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(on_wait_, other.on_wait_);
  std::swap(quiet_, other.quiet_);
  return *this;
}

DeviceToken::~DeviceToken() {
  if (descriptor_ >= 0) close(descriptor_);
}

void DeviceToken::lock(short how, int byte) const {
  if (try_lock(descriptor_, how, byte)) return;
  if (on_wait_) on_wait_(true);
  struct flock one = range(how, byte);
  while (fcntl(descriptor_, F_OFD_SETLKW, &one) != 0)
    if (errno != EINTR && try_lock(descriptor_, how, byte)) break;  // it tells an error, and ends
  if (on_wait_) on_wait_(false);
}

void DeviceToken::unlock(int byte) const {
  try_lock(descriptor_, F_UNLCK, byte);
}

void DeviceToken::take() {
  if (!shared()) return;
  unlock(quiet_byte);
  lock(F_WRLCK, token_byte);
  if (quiet_) lock(F_WRLCK, quiet_byte);
}

bool DeviceToken::try_take() {
  return !shared() || try_lock(descriptor_, F_WRLCK, token_byte);
}

void DeviceToken::give() {
  if (!shared()) return;
  unlock(quiet_byte);
  unlock(token_byte);
  lock(F_RDLCK, quiet_byte);
}

void DeviceToken::keep_quiet(bool quiet) {
  if (!shared() || std::exchange(quiet_, quiet) == quiet) return;
  if (quiet)
    lock(F_WRLCK, quiet_byte);
  else
    unlock(quiet_byte);
}

void DeviceToken::enter() {
  if (!shared()) return;
  for (int i = 0; i < most_workers_at_once; ++i)
    if (try_lock(descriptor_, F_WRLCK, first_worker_byte + i)) return;
}

int DeviceToken::others() const {
  int found = 0;
  for (int i = 0; shared() && i < most_workers_at_once; ++i) {
    struct flock one = range(F_WRLCK, first_worker_byte + i);
    found += fcntl(descriptor_, F_OFD_GETLK, &one) == 0 && one.l_type != F_UNLCK ? 1 : 0;
  }
  return found;
}

WithoutDevice::WithoutDevice(Device& device, DeviceToken* token, Phases& phases, std::size_t bytes,
                             double operations)
    : device_(device), token_(token), phases_(phases) {
  if (token_ == nullptr || !token_->shared() ||
      !(bytes >= bytes_worth_it || operations >= operations_worth_it)) {
    token_ = nullptr;
    return;
  }
  // Work that a call left behind ends first. A device that is lost stays lost: the next step finds it.
  [[maybe_unused]] const Status idle = device_.timer().synchronize();
  lent_ = device_.lend();
  phases_.wait([&] { token_->give(); });
}

WithoutDevice::~WithoutDevice() {
  if (token_ == nullptr) return;
  phases_.wait([&] { token_->take(); });
  lent_.end();
}

QuietHost::~QuietHost() {
  if (token_ != nullptr) token_->keep_quiet(false);
}

void QuietHost::ask() {
  if (token_ != nullptr) phases_.wait([&] { token_->keep_quiet(true); });
}

}  // namespace harness
