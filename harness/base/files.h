// Files and identities: whole-file reads with a size limit, atomic writes, content hashes, UUIDs,
// wall-clock time stamps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace harness {

inline constexpr std::uintmax_t default_file_limit = 1ULL << 32;

// Reads a whole file. A missing file, a folder, a pipe, a device or a file of more than `limit` bytes is an
// error.
Result<std::string> read_file(const std::filesystem::path& path, std::uintmax_t limit = default_file_limit);
// The same file in pieces: `begin` gets its size, 0 where it is not known; `take` gets each piece, and
// returns false when it needs no more.
Status read_pieces(const std::filesystem::path& path, std::uintmax_t limit,
                   const std::function<void(std::uintmax_t size)>& begin,
                   const std::function<bool(std::string_view piece)>& take);

// The file whose name is most like that of `path`, which is not there: one of its folder with one of the
// extensions. nullopt when none is near.
std::optional<std::string> nearest_file(const std::filesystem::path& path,
                                        const std::vector<std::string>& extensions);

// Writes to a temporary file in the same folder, flushes it to disk and renames it over `path`. A reader or a
// crash sees the old text or the new one, never a part. Creates missing parent folders. A symbolic link is
// followed, not replaced; a device or a pipe is written to as it is.
Status write_file_atomically(const std::filesystem::path& path, std::string_view text);
// The same with a text that comes in pieces: `write` hands each of them to the function that it gets.
using TakeText = std::function<void(std::string_view piece)>;
Status write_file_atomically(const std::filesystem::path& path,
                             const std::function<void(const TakeText&)>& write);

// SHA-1 name-based identity of some text, as 32 hex digits. For change detection, not for security.
std::string content_hash(std::string_view text);

// A random version-4 UUID, 36 characters.
std::string random_uuid();

// Now, as "2026-11-20T05:40:00Z".
std::string utc_timestamp();

// An exclusive lock on a file, held until the object is destroyed or the process ends. The file is removed
// unless the process crashes. An empty object holds no lock.
class FileLock {
 public:
  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  // Creates a missing file. Fails at once when another process holds the lock.
  static Result<FileLock> take(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// The folder that TMPDIR names; /tmp where there is none or it is no folder.
std::filesystem::path temporary_folder();

// A new empty folder under temporary_folder(), removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The text of a file under /proc or /sys, trimmed; "" where it cannot be read. Such files report a size of 0.
std::string system_file(const std::filesystem::path& path);

}  // namespace harness
