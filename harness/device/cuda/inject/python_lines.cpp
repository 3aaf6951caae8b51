#include "harness/device/cuda/inject/python_lines.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace harness::inject {
namespace {

constexpr std::size_t most_bytes = 16'384;  // of frames; the innermost come first
constexpr int most_frames = 100;

struct Object;  // PyObject

template <class Function>
Function* python(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
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

namespace {

// Without the interpreter's lock. "" where this Python does not export its writer.
std::string frames_without_lock() {
  // While Python ends, states of threads are freed that these still name.
  auto* const initialized = python<int()>("Py_IsInitialized");
  if (initialized == nullptr || initialized() == 0) return {};
  auto* const state_of_thread = python<void*()>("PyGILState_GetThisThreadState");
  auto* const write_frames = python<void(int, void*)>("_Py_DumpTraceback");
  if (state_of_thread == nullptr || write_frames == nullptr) return {};
  void* const state = state_of_thread();
  if (state == nullptr) return {};
  const int file = memfd_create("harness python lines", MFD_CLOEXEC);
  if (file < 0) return {};
  write_frames(file, state);
  std::string frames(most_bytes, '\0');
  const ssize_t count = pread(file, frames.data(), frames.size(), 0);
  close(file);
  frames.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return frames;
}

// Text of an attribute of an object, by functions that need the lock; "" where it has none.
std::string text_of(Object* owner, const char* name) {
  auto* const attribute = python<Object*(Object*, const char*)>("PyObject_GetAttrString");
  auto* const utf8 = python<const char*(Object*)>("PyUnicode_AsUTF8");
  auto* const release = python<void(Object*)>("Py_DecRef");
  auto* const forget_error = python<void()>("PyErr_Clear");
  if (attribute == nullptr || utf8 == nullptr || release == nullptr || forget_error == nullptr) return {};
  Object* const value = attribute(owner, name);
  const char* const text = value != nullptr ? utf8(value) : nullptr;
  std::string copy = text != nullptr ? text : "";
  if (text == nullptr) forget_error();
  if (value != nullptr) release(value);
  return copy;
}

// The same text by Python's public functions, where this thread holds the lock and no error is on its way.
std::string frames_with_lock() {
  auto* const initialized = python<int()>("Py_IsInitialized");
  // Not PyGILState_Check(): it always says yes once the program made another interpreter.
  auto* holder = python<void*()>("PyThreadState_GetUnchecked");  // since 3.13
  if (holder == nullptr) holder = python<void*()>("_PyThreadState_UncheckedGet");
  auto* const own = python<void*()>("PyGILState_GetThisThreadState");
  auto* const error = python<Object*()>("PyErr_Occurred");
  auto* const innermost = python<Object*()>("PyEval_GetFrame");
  auto* const code_of = python<Object*(Object*)>("PyFrame_GetCode");
  auto* const back_of = python<Object*(Object*)>("PyFrame_GetBack");
  auto* const line_of = python<int(Object*)>("PyFrame_GetLineNumber");
  auto* const keep = python<void(Object*)>("Py_IncRef");
  auto* const release = python<void(Object*)>("Py_DecRef");
  for (const void* one :
       {reinterpret_cast<void*>(initialized), reinterpret_cast<void*>(holder), reinterpret_cast<void*>(own),
        reinterpret_cast<void*>(error), reinterpret_cast<void*>(innermost), reinterpret_cast<void*>(code_of),
        reinterpret_cast<void*>(back_of), reinterpret_cast<void*>(line_of), reinterpret_cast<void*>(keep),
        reinterpret_cast<void*>(release)})
    if (one == nullptr) return {};
  if (initialized() == 0 || own() == nullptr || holder() != own() || error() != nullptr) return {};
  std::string frames;
  Object* frame = innermost();
  if (frame != nullptr) keep(frame);
  for (int depth = 0; frame != nullptr && depth < most_frames; ++depth) {
    Object* const code = code_of(frame);
    frames += "  File \"" + text_of(code, "co_filename") + "\", line " + std::to_string(line_of(frame)) +
              " in " + text_of(code, "co_name") + "\n";
    release(code);
    Object* const back = back_of(frame);
    release(frame);
    frame = back;
  }
  if (frame != nullptr) release(frame);
  return frames;
}

}  // namespace

std::string python_line() {
  std::string frames = frames_without_lock();
  if (frames.empty()) frames = frames_with_lock();
  if (frames.empty()) return {};
  std::error_code ignored;
  return told_line(frames, std::filesystem::current_path(ignored).string());
}

}  // namespace harness::inject
