// Rare<T>: a value that most objects lack. It is used as std::optional<T> is and takes one pointer while it
// is absent. Copies are deep.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace harness {

template <class T>
class Rare {
 public:
  using value_type = T;

  Rare() = default;
  // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload): as std::optional
  // converts
  Rare(std::nullopt_t) {}
  template <class U = T>
  requires(!std::same_as<std::remove_cvref_t<U>, Rare> &&
           !std::same_as<std::remove_cvref_t<U>, std::optional<T>> && std::convertible_to<U, T>)
      Rare(U&& value)
      : value_(std::make_unique<T>(std::forward<U>(value))) {}
  Rare(const std::optional<T>& value) : value_(value ? std::make_unique<T>(*value) : nullptr) {}
  // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (this != &other) value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  ~Rare() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): as std::optional converts
  operator std::optional<T>() const { return value_ ? std::optional<T>(*value_) : std::nullopt; }

  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  template <class... Parts>
  T& emplace(Parts&&... parts) {
    value_ = std::make_unique<T>(std::forward<Parts>(parts)...);
    return *value_;
  }
  void reset() { value_.reset(); }
  [[nodiscard]] T value_or(T otherwise) const { return value_ ? *value_ : std::move(otherwise); }

  friend bool operator==(const Rare& a, const Rare& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }
  friend bool operator==(const Rare& a, const T& b) { return a && *a == b; }
  friend bool operator==(const Rare& a, std::nullopt_t) { return !a; }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace harness
