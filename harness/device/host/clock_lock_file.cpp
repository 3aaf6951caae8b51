#include "harness/device/host/clock_lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "harness/base/environment.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/device/host/host_state.h"

namespace harness {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view prefix = "harness-";
constexpr std::string_view suffix = ".clocks";
constexpr unsigned highest_mhz = 100'000;

// The contents of a file; nothing when another user wrote it, or it cannot be understood.
std::optional<ClockLockFound> read_note(const fs::path& path) {
  const ClockLockFile file(path, O_RDONLY);
  if (!file.ok()) return std::nullopt;
  std::array<char, 4096> text{};
  const ssize_t count = pread(file.descriptor(), text.data(), text.size(), 0);
  if (count <= 0) return std::nullopt;
  const auto note =
      decode_clock_lock(std::string_view(text.data(), static_cast<std::size_t>(count)), path.string());
  if (!note || clock_lock_path(note->gpu) != path) return std::nullopt;
  return ClockLockFound{*note, flock(file.descriptor(), LOCK_SH | LOCK_NB) != 0};
}

}  // namespace

ClockLockFile::ClockLockFile(const fs::path& path, int flags) {
  constexpr mode_t for_everybody_to_read = 0644;
  descriptor_ = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, for_everybody_to_read);
  struct stat status {};
  if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) &&
      (status.st_uid == 0 || status.st_uid == geteuid()))
    return;
  if (descriptor_ >= 0) errno = EPERM;
  close_now();
}

ClockLockFile::~ClockLockFile() {
  close_now();
}

void ClockLockFile::close_now() {
  const int why = errno;
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  errno = why;
}

fs::path clock_lock_path(const std::string& gpu) {
  const bool plain = !gpu.empty() && std::all_of(gpu.begin(), gpu.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
  return environment::lock_folder() / fmt::format("{}{}{}", prefix, plain ? gpu : content_hash(gpu), suffix);
}

std::string encode(const ClockLockNote& note) {
  const nlohmann::ordered_json json{{"version", 1},        {"gpu", note.gpu},
                                    {"mhz", note.mhz},     {"process", note.process},
                                    {"since", note.since}, {"boot", note.boot}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<ClockLockNote> decode_clock_lock(std::string_view text, const std::string& source) {
  const auto wrong = [&] {
    return fail(ErrorKind::environment, Location{source}, "is no note of a clock lock, version 1",
                "remove the file; `nvidia-smi -rgc` frees the clocks");
  };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return wrong();
  const auto number = [&](const char* name, unsigned most) -> std::optional<unsigned> {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_unsigned() || *found > most) return std::nullopt;
    return found->get<unsigned>();
  };
  const auto word = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto mhz = number("mhz", highest_mhz), process = number("process", 1U << 30);
  ClockLockNote note{word("gpu"), mhz.value_or(0), static_cast<int>(process.value_or(0)), word("since"),
                     word("boot")};
  if (number("version", 1) != 1U || note.gpu.empty() || !mhz || !process) return wrong();
  return note;
}

std::optional<ClockLockFound> find_clock_lock(const std::string& gpu) {
  const fs::path path = clock_lock_path(gpu);
  auto found = read_note(path);
  if (!found || found->held || found->note.boot.empty() || found->note.boot == boot_identity()) return found;
  std::error_code code;
  fs::remove(path, code);
  return std::nullopt;
}

std::vector<ClockLockFound> find_clock_locks() {
  std::vector<ClockLockFound> found;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(environment::lock_folder(), code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const auto note = read_note(entry.path());
    if (!note) continue;
    if (auto still = find_clock_lock(note->note.gpu)) found.push_back(std::move(*still));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& other) { return one.note.gpu < other.note.gpu; });
  return found;
}

}  // namespace harness
