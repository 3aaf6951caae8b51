// CallSites: where the program launches, while a launch is made: NVTX ranges, the line of Python, and the
// function of the host. It takes the host's time, so no start that is timed does it. Any thread may call it.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness::inject {

// A function in a file of this process.
struct HostFunction {
  std::string name;  // demangled, without its arguments; "" when unknown
  std::string file;  // "libgemm.so"
};

class CallSites {
 public:
  // `cupti`: the file of its library, whose functions are no site.
  explicit CallSites(std::string cupti) : cupti_(std::move(cupti)) {}

  // More is not spent: the launches that follow have no site.
  static constexpr auto longest = std::chrono::seconds(5);

  // "range\npython\nhost", parts of which may be empty. `kernel`: mangled name; its own stub is no site.
  std::optional<std::string> here(std::string_view ranges, std::string_view kernel);

 private:
  struct Symbol {
    std::uintptr_t begin = 0, end = 0;
    std::string name;  // mangled
  };
  using Symbols = std::vector<Symbol>;  // in order

  std::string host(std::string_view kernel);
  std::optional<HostFunction> function_at(std::uintptr_t address, std::string_view kernel);
  const Symbols& symbols_of(const std::string& file);

  [[nodiscard]] bool has_time() const;

  std::string cupti_;
  // The linker's lock is taken where functions are looked up, and it may be held by a thread that launches
  // while a library is opened. So no lock of ours is held then.
  std::mutex files_mutex_;
  std::map<std::string, Symbols> symbols_;  // by file
  std::mutex known_mutex_;
  std::map<std::uintptr_t, std::optional<HostFunction>> known_;  // by address; nothing: it is no site
  std::atomic<std::chrono::steady_clock::rep> took_ = 0;
};

}  // namespace harness::inject
