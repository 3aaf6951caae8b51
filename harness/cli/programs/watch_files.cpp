#include "harness/cli/programs/watch_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "harness/base/files.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/measure/schedule/interrupt.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr auto pause_between_looks = std::chrono::milliseconds(200);

// The words of this process, as it was started.
std::vector<std::string> own_words() {
  std::vector<std::string> words = split(read_file("/proc/self/cmdline").value_or(""), '\0');
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

// The program's path, also when it was replaced meanwhile: Linux then marks the old file.
std::string program_on_disk() {
  constexpr std::string_view mark = " (deleted)";
  std::string path = this_program().string();
  if (path.ends_with(mark)) path.resize(path.size() - mark.size());
  return path;
}

}  // namespace

FileStates states_of(const std::vector<std::string>& files) {
  FileStates states;
  for (const std::string& file : files) {
    std::error_code code;
    const auto written = fs::last_write_time(file, code);
    const std::uintmax_t size = code ? 0 : fs::file_size(file, code);
    states.push_back(code ? "" : fmt::format("{} {}", written.time_since_epoch().count(), size));
  }
  return states;
}

bool wait_for_change(const std::vector<std::string>& files, const FileStates& before,
                     const std::function<bool()>& pause) {
  FileStates last = before;
  while (pause()) {
    FileStates now = states_of(files);
    if (now != before && now == last) return true;
    last = std::move(now);
  }
  return false;
}

void start_again_on_change(const std::vector<std::string>& files, const FileStates& before) {
  fmt::print(stderr, "watching {}; Ctrl-C ends it\n", printable(join(files, ", ")));
  {
    const InterruptGuard guard;
    const auto pause = [] {
      std::this_thread::sleep_for(pause_between_looks);
      return !InterruptGuard::interrupted();
    };
    if (!wait_for_change(files, before, pause)) return;
  }
  std::vector<std::string> words = own_words();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(program_on_disk().c_str(), argv.data());
  fmt::print(stderr, "{} cannot be started again\n", program_on_disk());
}

}  // namespace harness
