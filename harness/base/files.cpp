#include "harness/base/files.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include "harness/base/text.h"

namespace harness {
namespace fs = std::filesystem;

namespace {

bool write_all(int fd, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// A file without a name in the folder of `target`, which is gone with this process; -1 where there can be
// none.
int open_nameless(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

// False: the name is taken, or there is no /proc.
bool name_file(int fd, const fs::path& name) {
  const std::string self = fmt::format("/proc/self/fd/{}", fd);
  return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// `pattern` with its six X replaced.
std::string unused_name(std::string pattern) {
  return pattern.replace(pattern.size() - 6, 6, random_uuid().substr(0, 6));
}

using WriteText = std::function<void(const TakeText&)>;

// After the first failure the rest is dropped.
bool write_pieces(int fd, const WriteText& write) {
  bool written = true;
  int why = 0;
  write([&](std::string_view piece) {
    if (!written) return;
    written = write_all(fd, piece);
    why = errno;
  });
  if (!written) errno = why;
  return written;
}

// Devices and pipes: there is nothing to rename over.
bool write_in_place(const fs::path& path, const WriteText& write) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write_pieces(fd, write);
  return close(fd) == 0 && written;
}

}  // namespace

Status read_pieces(const fs::path& path, std::uintmax_t limit,
                   const std::function<void(std::uintmax_t size)>& begin,
                   const std::function<bool(std::string_view piece)>& take) {
  const auto failed = [&](ErrorKind kind, std::string what, std::string advice = {}) {
    return fail(kind, Location{path.string()}, std::move(what), std::move(advice));
  };
  // Opening a pipe must not wait for somebody who writes.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const int why = errno;
  if (fd < 0 && (why == ENOENT || why == ENOTDIR)) return failed(ErrorKind::missing, "no such file");
  if (fd < 0) return failed(ErrorKind::environment, fmt::format("cannot be read: {}", std::strerror(why)));
  const std::shared_ptr<void> closed(nullptr, [fd](void*) { ::close(fd); });
  struct stat found {};
  const bool known = fstat(fd, &found) == 0;
  if (known && S_ISDIR(found.st_mode)) return failed(ErrorKind::usage, "is a folder, not a file");
  if (!known || !S_ISREG(found.st_mode))
    return failed(ErrorKind::usage, "is a pipe or a device, not a file", "write it into a file first");
  const auto too_large = [&](std::uintmax_t size) {
    return failed(ErrorKind::usage, fmt::format("is {} bytes; at most {} are read", size, limit));
  };
  const auto size = static_cast<std::uintmax_t>(found.st_size);
  if (size > limit) return too_large(size);
  begin(size);
  std::vector<char> block(std::size_t{1} << 16);
  for (std::uintmax_t total = 0;;) {  // it may grow meanwhile, and files of the system tell no size
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return failed(ErrorKind::environment, fmt::format("cannot be read: {}", std::strerror(errno)));
    total += static_cast<std::uintmax_t>(count);
    if (total > limit) return too_large(total);
    if (count == 0 || !take({block.data(), static_cast<std::size_t>(count)})) return {};
  }
}

Result<std::string> read_file(const fs::path& path, std::uintmax_t limit) {
  std::string text;
  const Status read = read_pieces(
      path, limit, [&](std::uintmax_t size) { text.reserve(size); },
      [&](std::string_view piece) {
        text += piece;
        return true;
      });
  if (!read) return fail(read.error());
  return text;
}

std::optional<std::string> nearest_file(const fs::path& path, const std::vector<std::string>& extensions) {
  std::vector<std::string> names;
  std::error_code code;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (std::find(extensions.begin(), extensions.end(), at->path().extension()) != extensions.end())
      names.push_back(at->path().filename().string());
  const auto near = nearest(path.filename().string(), names);
  if (!near) return std::nullopt;
  return (path.parent_path() / *near).string();
}

Status write_file_atomically(const fs::path& path, std::string_view text) {
  return write_file_atomically(path, [&](const TakeText& take) { take(text); });
}

Status write_file_atomically(const fs::path& path, const WriteText& write) {
  const auto failed = [&](std::string_view what) {
    return fail(ErrorKind::environment, Location{path.string()},
                fmt::format("cannot be {}: {}", what, std::strerror(errno)));
  };
  std::error_code code;
  if (fs::is_other(path, code)) return write_in_place(path, write) ? Status() : failed("written");
  const fs::path target = fs::is_symlink(path, code) ? fs::weakly_canonical(path, code) : path;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), code);
  std::string temporary = target.string() + ".XXXXXX";
  int fd = open_nameless(target);
  const bool nameless = fd >= 0;
  if (!nameless) fd = mkstemp(temporary.data());
  if (fd < 0) return failed("created");
  if (!write_pieces(fd, write)) {
    close(fd);
    if (!nameless) unlink(temporary.c_str());
    return failed("written");
  }
  bool done = false;
  if (fchmod(fd, 0644) == 0 && fsync(fd) == 0) {
    done = nameless && name_file(fd, target);
    if (!done && (!nameless || name_file(fd, temporary = unused_name(temporary))))
      done = rename(temporary.c_str(), target.c_str()) == 0;
  }
  const int why = errno;
  close(fd);
  if (done) return {};
  unlink(temporary.c_str());
  errno = why;
  return failed("replaced");
}

std::string content_hash(std::string_view text) {
  boost::uuids::name_generator_sha1 generate(boost::uuids::ns::oid());
  const boost::uuids::uuid id = generate(text.data(), text.size());
  std::string hex;
  for (const std::uint8_t byte : id) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string random_uuid() {
  return boost::uuids::to_string(boost::uuids::random_generator()());
}

std::string utc_timestamp() {
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

FileLock::FileLock(FileLock&& other) noexcept {
  *this = std::move(other);
}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  fs::remove(path_, ignored);  // before unlocking, so that another process's new lock file stays
  close(descriptor_);
}

Result<FileLock> FileLock::take(const fs::path& path) {
  FileLock lock;
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return fail(ErrorKind::environment, Location{path.string()},
                fmt::format("cannot be locked: {}", std::strerror(errno)));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    close(descriptor);
    return fail(ErrorKind::environment, Location{path.string()}, "is locked by another process");
  }
  lock.path_ = path;
  lock.descriptor_ = descriptor;
  return lock;
}

fs::path temporary_folder() {
  std::error_code no_folder;
  const fs::path named = fs::temp_directory_path(no_folder);
  return no_folder ? fs::path("/tmp") : named;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (temporary_folder() / "harness-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(),
                            "no folder can be made in " + temporary_folder().string());
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string system_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return std::string(trim(text));
}

}  // namespace harness
