// Handles: an object ends in its destructor what was begun for it.
#pragma once

#include <functional>
#include <optional>
#include <utility>

namespace harness {

// Calls a function when it goes out of scope.
class [[nodiscard]] Scope {
 public:
  Scope() = default;
  explicit Scope(std::function<void()> leave) : leave_(std::move(leave)) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Scope(Scope&& other) noexcept : leave_(std::exchange(other.leave_, nullptr)) {}
  // Ends what this scope held before.
  Scope& operator=(Scope&& other) noexcept {
    if (this == &other) return *this;
    end();
    leave_ = std::exchange(other.leave_, nullptr);
    return *this;
  }
  ~Scope() { end(); }

  void end() {
    if (const auto leave = std::exchange(leave_, nullptr)) leave();
  }

 private:
  std::function<void()> leave_;
};

// Tells what was observed since it was made; std::nullopt where the device cannot tell.
template <class T>
using Since = std::function<std::optional<T>()>;

}  // namespace harness
