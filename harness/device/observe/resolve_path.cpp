#include "harness/device/observe/resolve_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <string_view>

namespace harness {
namespace {

constexpr int most_links = 40;  // as in the kernel

using Parts = std::deque<std::string>;

void put_before(Parts& parts, std::string_view path) {
  Parts more;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) more.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.insert(parts.begin(), more.begin(), more.end());
}

// The paths to which /proc/self/cwd, root and fd/N of a process lead. "": these parts are no such link.
std::string own_link(const Parts& parts, pid_t process, std::size_t& taken) {
  const bool own = parts.size() > 1 &&
                   (parts[0] == "self" || parts[0] == "thread-self" || parts[0] == std::to_string(process));
  if (!own) return "";
  if (parts[1] == "root" || parts[1] == "cwd") taken = 2;
  if (parts[1] == "fd" && parts.size() > 2) taken = 3;
  if (taken == 0) return "";
  const std::string to =
      link_text(fmt::format("/proc/{}/{}{}", process, parts[1], taken == 3 ? "/" + parts[2] : ""));
  return to.starts_with('/') && !to.ends_with(" (deleted)") ? to : "";
}

}  // namespace

std::string link_text(const std::string& path) {
  std::array<char, PATH_MAX> text;
  const ssize_t length = readlink(path.c_str(), text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "";
}

bool is_below(const std::string& path, const std::string& folder) {
  if (folder.empty() || !path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/' || folder == "/";
}

ResolvedPath resolve_path(const std::string& path, LastLink last, pid_t process) {
  ResolvedPath found;
  Parts rest;
  put_before(rest, path);
  std::string at;  // "" is the root
  int links = 0;
  const auto end_with = [&](int error) {
    found.error = error;
    for (const std::string& one : rest) at += "/" + one;
    found.path = at.empty() ? "/" : at;
    return found;
  };
  const auto is_folder = [&] {
    return at.empty() || (lstat(at.c_str(), &found.about) == 0 && S_ISDIR(found.about.st_mode));
  };
  while (!rest.empty()) {
    if (at == "/proc" || at == "/sys") {
      std::size_t taken = 0;
      const std::string to = at == "/proc" ? own_link(rest, process, taken) : "";
      const bool follow = !to.empty() && (rest.size() > taken || last == LastLink::followed);
      if (!follow || ++links > most_links) {
        found.of_kernel = true;
        return end_with(follow ? ELOOP : 0);
      }
      rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
      put_before(rest, to);
      at.clear();
      continue;
    }
    const std::string name = rest.front();
    rest.pop_front();
    if (name == "." || name == "..") {
      if (!is_folder()) return end_with(ENOTDIR);
      if (name == "..") at.erase(std::min(at.rfind('/'), at.size()));
      continue;
    }
    at += "/" + name;
    if (lstat(at.c_str(), &found.about) != 0) return end_with(errno);
    const bool is_last = rest.empty();
    if (S_ISLNK(found.about.st_mode) && !(is_last && last == LastLink::kept && !path.ends_with('/'))) {
      if (++links > most_links) return end_with(ELOOP);
      const std::string to = link_text(at);
      if (to.empty()) return end_with(ENOENT);
      at.erase(to.starts_with('/') ? 0 : at.rfind('/'));
      put_before(rest, to);
    } else if (!is_last && !S_ISDIR(found.about.st_mode)) {
      return end_with(ENOTDIR);
    }
  }
  if (path.ends_with('/') && !is_folder()) return end_with(ENOTDIR);
  if (at == "/proc" || at == "/sys") found.of_kernel = true;
  if (lstat(at.empty() ? "/" : at.c_str(), &found.about) != 0) return end_with(errno);
  return end_with(0);
}

}  // namespace harness
