// Preloaded (LD_PRELOAD): a call of the C library fails, as on a full or broken disk, or where another
// process holds a lock. Only calls on regular files count, each process for itself.
//
//   FAULT_CALL    read, pread, write, pwrite, create, ftruncate, fsync, rename, linkat or lock
//   FAULT_NUMBER  which call fails, from 1
//   FAULT_STAYS   set: all later ones fail, too; else they succeed
//   FAULT_ERROR   its errno; 0: a write that takes half of the bytes
//   FAULT_MARK    a file that is made when a call fails
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> calls{0};

bool is_regular(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Whether this call is the one that fails; then `error` is its errno.
bool fails(const char* name, int& error) {
  const char* wanted = std::getenv("FAULT_CALL");
  if (wanted == nullptr || std::strcmp(wanted, name) != 0) return false;
  const int number = ++calls, first = std::atoi(std::getenv("FAULT_NUMBER"));
  if (std::getenv("FAULT_STAYS") == nullptr ? number != first : number < first) return false;
  if (const int mark = creat(std::getenv("FAULT_MARK"), 0600); mark >= 0) close(mark);
  error = std::atoi(std::getenv("FAULT_ERROR"));
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool makes_file(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

int refused(int error) {
  errno = error;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t count) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  int error = 0;
  if (is_regular(fd) && fails("write", error)) {
    if (error != 0) return refused(error);
    return real(fd, bytes, (count + 1) / 2);
  }
  return real(fd, bytes, count);
}

// Streams of the C++ library write long texts so.
ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  int error = 0;
  if (is_regular(fd) && count > 0 && fails("write", error)) {
    if (error != 0) return refused(error);
    return write(fd, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
  }
  return real(fd, parts, count);
}

ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  int error = 0;
  if (is_regular(fd) && fails("pwrite", error)) {
    if (error != 0) return refused(error);
    return real(fd, bytes, (count + 1) / 2, at);
  }
  return real(fd, bytes, count, at);
}

ssize_t read(int fd, void* bytes, size_t count) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  int error = 0;
  return is_regular(fd) && fails("read", error) ? refused(error) : real(fd, bytes, count);
}

ssize_t pread64(int fd, void* bytes, size_t count, off64_t at) {
  static auto* const real = next<ssize_t(int, void*, size_t, off64_t)>("pread64");
  int error = 0;
  return is_regular(fd) && fails("pread", error) ? refused(error) : real(fd, bytes, count, at);
}

ssize_t pread(int fd, void* bytes, size_t count, off_t at) {
  return pread64(fd, bytes, count, at);
}

// The flags also say that a file without a name is made.
int open64(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = makes_file(flags) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int error = 0;
  return makes_file(flags) && fails("create", error) ? refused(error) : real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = makes_file(flags) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(path, flags, mode);
}

int mkostemp(char* name, int flags) {
  static auto* const real = next<int(char*, int)>("mkostemp");
  int error = 0;
  return fails("create", error) ? refused(error) : real(name, flags);
}

int mkstemp(char* name) {
  return mkostemp(name, 0);
}

int ftruncate64(int fd, off64_t size) noexcept {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  int error = 0;
  return is_regular(fd) && fails("ftruncate", error) ? refused(error) : real(fd, size);
}

int ftruncate(int fd, off_t size) noexcept {
  return ftruncate64(fd, size);
}

int fsync(int fd) {
  static auto* const real = next<int(int)>("fsync");
  int error = 0;
  return fails("fsync", error) ? refused(error) : real(fd);
}

int fdatasync(int fd) {
  static auto* const real = next<int(int)>("fdatasync");
  int error = 0;
  return fails("fsync", error) ? refused(error) : real(fd);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  int error = 0;
  return fails("rename", error) ? refused(error) : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  int error = 0;
  return fails("linkat", error) ? refused(error) : real(from_folder, from, to_folder, to, flags);
}

// SQLite takes its locks so.
int fcntl64(int fd, int command, ...) {
  static auto* const real = next<int(int, int, ...)>("fcntl64");
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  int error = 0;
  const bool locks = command == F_SETLK && static_cast<struct flock*>(argument)->l_type != F_UNLCK;
  return locks && fails("lock", error) ? refused(error) : real(fd, command, argument);
}

}  // extern "C"
