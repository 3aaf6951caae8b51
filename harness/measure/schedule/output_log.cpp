#include "harness/measure/schedule/output_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

constexpr off_t log_limit = 16 << 20;
constexpr std::size_t quoted_bytes = 2000;
constexpr std::size_t quoted_lines = 8;

}  // namespace

Result<OutputLog> OutputLog::open() {
  std::string path = (temporary_folder() / "harness-output-XXXXXX").string();
  const int fd = mkostemp(path.data(), O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return fail(ErrorKind::environment, Location{path},
                fmt::format("no file for what child processes print: {}", std::strerror(errno)),
                "make room in the temporary folder, or set TMPDIR");
  unlink(path.c_str());
  return OutputLog(fd);
}

OutputLog::OutputLog(OutputLog&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

OutputLog& OutputLog::operator=(OutputLog&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

OutputLog::~OutputLog() {
  if (fd_ >= 0) close(fd_);
}

void OutputLog::limit() {
  struct stat status {};
  if (fstat(fd_, &status) == 0 && status.st_size > log_limit) [[maybe_unused]]
    const int ignored = ftruncate(fd_, 0);
}

std::string OutputLog::tail(std::size_t bytes) const {
  struct stat status {};
  if (fstat(fd_, &status) != 0) return {};
  const off_t begin = std::max<off_t>(0, status.st_size - static_cast<off_t>(bytes));
  std::string tail(static_cast<std::size_t>(status.st_size - begin), '\0');
  std::size_t had = 0;
  while (had < tail.size()) {
    const ssize_t count = pread(fd_, tail.data() + had, tail.size() - had, begin + static_cast<off_t>(had));
    if (count <= 0 && errno != EINTR) break;
    had += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  tail.resize(had);
  return tail;
}

std::string OutputLog::last_lines(std::string_view after) const {
  std::string end = tail(quoted_bytes);
  const std::size_t mine = after.empty() ? std::string::npos : end.rfind(after);
  if (mine != std::string::npos) end.erase(0, mine + after.size());
  std::vector<std::string> lines;
  for (const std::string& line : split(end, '\n'))
    if (!trim(line).empty()) lines.push_back(printable(trim(line)));
  if (lines.size() > quoted_lines)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(quoted_lines));
  return join(lines, " | ");
}

}  // namespace harness
