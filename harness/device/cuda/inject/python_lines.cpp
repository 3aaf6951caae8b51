#include "harness/device/cuda/inject/python_lines.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <thread>

namespace harness::inject {
namespace {

constexpr std::size_t most_bytes = 16'384;  // of frames; the innermost come first

template <class Function>
Function* python(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Left behind when Python ends, so that a late signal does not end the process.
void ignore(int) {}

// A signal for real-time use that nobody handles; 0: there is none.
int unused_signal() {
  for (int one = SIGRTMAX - 1; one > SIGRTMIN; --one) {
    struct sigaction now {};
    if (sigaction(one, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
      return one;
  }
  return 0;
}

bool is_installed(std::string_view file) {
  if (file.starts_with('<')) return true;  // made at run time
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/", "/lib/python3"})
    if (file.find(mark) != std::string_view::npos) return true;
  return false;
}

std::string_view short_path(std::string_view file, std::string_view folder) {
  if (!folder.empty() && file.starts_with(folder) && file.substr(folder.size()).starts_with('/'))
    return file.substr(folder.size() + 1);
  const std::size_t name = file.rfind('/');
  if (name == std::string_view::npos || name == 0) return file;
  const std::size_t above = file.rfind('/', name - 1);
  return above == std::string_view::npos ? file : file.substr(above + 1);
}

}  // namespace

std::string told_line(std::string_view frames, std::string_view folder) {
  constexpr std::string_view file_mark = "  File \"", line_mark = "\", line ", function_mark = " in ";
  std::string innermost;
  for (std::size_t at = frames.find(file_mark); at != std::string_view::npos;
       at = frames.find(file_mark, at + 1)) {
    const std::string_view line = frames.substr(at, frames.find('\n', at) - at);
    const std::size_t number = line.find(line_mark), function = line.rfind(function_mark);
    if (number == std::string_view::npos || function == std::string_view::npos || function < number) continue;
    const std::string_view file = line.substr(file_mark.size(), number - file_mark.size());
    const std::size_t digits = number + line_mark.size();
    std::string told(short_path(file, folder));
    told.append(":").append(line.substr(digits, function - digits)).append(line.substr(function));
    if (!is_installed(file)) return told;
    if (innermost.empty()) innermost = std::move(told);
  }
  return innermost;
}

// With mutex_ locked. A thread of its own waits for the interpreter's lock: it holds no lock of the program.
bool PythonLines::attach() {
  if (asked_) return false;
  auto* const initialized = python<int()>("Py_IsInitialized");
  auto* const take_lock = python<int()>("PyGILState_Ensure");
  auto* const leave_lock = python<void(int)>("PyGILState_Release");
  auto* const execute = python<int(const char*)>("PyRun_SimpleString");
  if (initialized == nullptr || take_lock == nullptr || leave_lock == nullptr || execute == nullptr) {
    asked_ = true;
    return false;
  }
  if (initialized() == 0) return false;
  asked_ = true;
  signal_ = unused_signal();
  frames_ = memfd_create("harness python lines", MFD_CLOEXEC);
  if (signal_ == 0 || frames_ < 0) return false;
  struct sigaction idle {};
  idle.sa_handler = ignore;
  idle.sa_flags = SA_RESTART;
  if (sigaction(signal_, &idle, nullptr) != 0) return false;
  // Binds no name in the program's module.
  const std::string text = "try:\n  __import__('faulthandler').register(" + std::to_string(signal_) +
                           ", file=" + std::to_string(frames_) +
                           ", all_threads=False)\nexcept Exception:\n  pass\n";
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this, text, take_lock, leave_lock, execute] {
    const int state = take_lock();
    (void)execute(text.c_str());
    leave_lock(state);
    ready_ = true;
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return true;
}

std::string PythonLines::here() {
  const std::lock_guard lock(mutex_);
  if (!ready_) {
    attach();
    return {};
  }
  if (ftruncate(frames_, 0) != 0 || lseek(frames_, 0, SEEK_SET) != 0) return {};
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, signal_);
  pthread_sigmask(SIG_UNBLOCK, &one, &before);
  (void)raise(signal_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::array<char, most_bytes> bytes;
  const ssize_t count = pread(frames_, bytes.data(), bytes.size(), 0);
  std::array<char, PATH_MAX> folder{};
  const char* const here = getcwd(folder.data(), folder.size());
  return count <= 0 ? std::string()
                    : told_line({bytes.data(), static_cast<std::size_t>(count)}, here != nullptr ? here : "");
}

}  // namespace harness::inject
