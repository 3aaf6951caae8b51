#include "harness/device/observe/take_call.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "harness/device/observe/file_calls.h"

namespace harness {
namespace {

constexpr unsigned long memory_page = 4096;

bool read_memory(pid_t process, std::uint64_t address, void* to, std::size_t bytes) {
  const iovec here{to, bytes}, there{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// A text that ends with a zero. No page behind its end is read.
std::optional<std::string> read_text(pid_t process, std::uint64_t address) {
  std::string text;
  std::array<char, memory_page> piece;
  while (text.size() < PATH_MAX) {
    const std::size_t bytes = memory_page - address % memory_page;
    if (!read_memory(process, address, piece.data(), bytes)) return std::nullopt;
    const char* const end = std::find(piece.data(), piece.data() + bytes, '\0');
    text.append(piece.data(), static_cast<std::size_t>(end - piece.data()));
    if (end != piece.data() + bytes) return text;
    address += bytes;
  }
  return std::nullopt;
}

class CallInMemory {
 public:
  CallInMemory(const seccomp_data& data, const FileCall& call, pid_t process, SeenFiles& files)
      : data_(data), call_(call), process_(process), files_(files) {}

  void take() {
    switch (call_.kind) {
      case FileCallKind::gap:
      case FileCallKind::clone: return files_.add_gap(call_.gap, call_.name);
      case FileCallKind::clone_how: return take_clone();
      case FileCallKind::list: return take_list();
      case FileCallKind::connect:
      case FileCallKind::bind: return take_address();
      case FileCallKind::send_message: return take_message();
      default: break;
    }
    const std::optional<std::string> path = path_of(call_.folder, call_.path);
    if (path && !path->empty()) take_path(*path);
  }

 private:
  [[nodiscard]] std::uint64_t argument(int number) const {
    return number < 0 ? 0 : data_.args[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int flags() const { return static_cast<int>(argument(call_.flags)); }

  void gap(FileGap why) { files_.add_gap(why, call_.name); }

  // The path of an open descriptor. "": it is no file that has a path.
  [[nodiscard]] std::string path_of_descriptor(int number) const {
    std::string path = link_text(fmt::format("/proc/{}/fd/{}", process_, number));
    return path.starts_with('/') ? path : "";
  }

  // Absolute. "": the call is about an open descriptor, whose file is known, or there is none.
  std::optional<std::string> path_of(int folder, int number) {
    std::optional<std::string> text;
    if (argument(number) != 0) text = read_text(process_, argument(number));
    if (!text && argument(number) != 0) gap(FileGap::unread);
    if (!text) return std::nullopt;
    const int from = folder < 0 ? AT_FDCWD : static_cast<int>(argument(folder));
    if (text->empty()) {
      const bool descriptor = call_.kind == FileCallKind::execute && (flags() & AT_EMPTY_PATH) != 0;
      if (descriptor) *text = path_of_descriptor(from);
      if (descriptor && (text->empty() || text->ends_with(" (deleted)"))) gap(FileGap::unread);
      return text;
    }
    if (text->starts_with('/')) return text;
    const std::string base =
        from == AT_FDCWD ? link_text(fmt::format("/proc/{}/cwd", process_)) : path_of_descriptor(from);
    if (base.empty() || base.ends_with(" (deleted)")) {
      if (from == AT_FDCWD) gap(FileGap::unread);
      return std::nullopt;
    }
    return base + "/" + *text;
  }

  // The second path of a call.
  std::optional<std::string> other_path() {
    const bool folders = call_.folder >= 0;
    return path_of(folders ? call_.folder + 2 : -1, call_.path + (folders ? 2 : 1));
  }

  void take_path(const std::string& path) {
    switch (call_.kind) {
      case FileCallKind::open: return files_.open(path, flags(), process_);
      case FileCallKind::open_how: return take_open(path);
      case FileCallKind::creat: return files_.open(path, O_CREAT | O_WRONLY | O_TRUNC, process_);
      case FileCallKind::execute: return files_.execute(path, process_);
      case FileCallKind::probe:
        return files_.probe(path, (flags() & AT_SYMLINK_NOFOLLOW) != 0 ? LastLink::kept : LastLink::followed,
                            process_);
      case FileCallKind::probe_link: return files_.probe(path, LastLink::kept, process_);
      case FileCallKind::truncate: return files_.truncate(path, process_);
      case FileCallKind::make: return files_.make(path, process_);
      case FileCallKind::remove: return files_.remove(path, process_);
      case FileCallKind::link:
        if (const auto to = other_path())
          files_.link(path, (flags() & AT_SYMLINK_FOLLOW) != 0 ? LastLink::followed : LastLink::kept, *to,
                      process_);
        return;
      case FileCallKind::rename:
        if (const auto to = other_path()) files_.rename(path, *to, static_cast<unsigned>(flags()), process_);
        return;
      default: return;
    }
  }

  void take_open(const std::string& path) {
    open_how how{};
    if (!read_memory(process_, argument(call_.flags), &how, sizeof how)) return gap(FileGap::unread);
    if (how.resolve != 0) return gap(FileGap::call);
    files_.open(path, static_cast<int>(how.flags), process_);
  }

  void take_list() {
    const std::string path = path_of_descriptor(static_cast<int>(argument(call_.folder)));
    if (path.empty()) return gap(FileGap::unread);
    if (!path.ends_with(" (deleted)")) files_.list(path, process_);
  }

  void take_clone() {
    std::uint64_t flags = 0;
    if (!read_memory(process_, argument(call_.path), &flags, sizeof flags)) return gap(FileGap::unread);
    if ((flags & name_space_flags) != 0) gap(FileGap::elsewhere);
  }

  // Nobody knows whether anybody listens, but where a local socket has a path.
  void take_address() {
    sockaddr_un address{};
    const std::size_t bytes = std::min<std::size_t>(argument(2), sizeof address);
    if (!read_memory(process_, argument(call_.path), &address, bytes)) return gap(FileGap::unread);
    const bool local = bytes >= sizeof address.sun_family && address.sun_family == AF_UNIX;
    const std::size_t begin = offsetof(sockaddr_un, sun_path);
    if (call_.kind == FileCallKind::bind) {
      if (!local || bytes > begin) gap(FileGap::network);  // others can send to it
      return;
    }
    if (!local || bytes <= begin || address.sun_path[0] == '\0') return gap(FileGap::network);
    std::string path(address.sun_path, strnlen(address.sun_path, bytes - begin));
    if (!path.starts_with('/')) path = link_text(fmt::format("/proc/{}/cwd", process_)) + "/" + path;
    files_.connect(path, process_);
  }

  void take_message() {
    msghdr message{};
    if (!read_memory(process_, argument(call_.path), &message, sizeof message)) return gap(FileGap::unread);
    if (message.msg_name != nullptr) gap(FileGap::network);
  }

  const seccomp_data& data_;
  const FileCall& call_;
  pid_t process_;
  SeenFiles& files_;
};

}  // namespace

void take_call(const seccomp_data& call, pid_t process, SeenFiles& files) {
  if (files.has_gap()) return;
  if (call.arch != filtered_architecture()) return files.add_gap(FileGap::foreign, "");
  const FileCall* const watched = find_file_call(call.nr);
  if (watched == nullptr) return files.add_gap(FileGap::foreign, "");
  if (process == 0) return files.add_gap(FileGap::elsewhere, watched->name);
  CallInMemory(call, *watched, process, files).take();
}

}  // namespace harness
