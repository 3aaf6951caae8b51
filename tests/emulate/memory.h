// Device memory for emulated kernels. Buffer<T> holds elements between two zones of NaNs: reading past
// either end gives NaN, writing there is noticed by check_zones() after each launch, and asynchronous copies,
// which check their addresses, name the buffer that they left. Under AddressSanitizer any access to a zone
// stops the test. One thread of the CPU.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace emulate {

// A range of bytes that emulated code may touch, and the zones around it.
class Memory {
 public:
  static constexpr std::size_t zone_bytes = 16384;

  Memory(std::string name, std::size_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::byte* data() const { return begin_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // "" when both zones are as they were made.
  [[nodiscard]] std::string damage() const;

 private:
  std::string name_;
  std::size_t bytes_;
  std::byte* memory_;
  std::byte* begin_;
};

// "" when [from, from + bytes) lies in one live Memory; otherwise in words where it lies.
std::string outside_memory(const void* from, std::size_t bytes);

// The damage of every live Memory, "" when there is none.
std::string damaged_zones();

// Elements, 256-byte aligned as cudaMalloc gives them, filled with bytes 0xFF (NaN in every float type).
template <class T>
class Buffer {
 public:
  Buffer(std::string name, std::size_t elements) : memory_(std::move(name), elements * sizeof(T)) {}
  Buffer(std::string name, std::span<const T> values) : Buffer(std::move(name), values.size()) {
    std::memcpy(memory_.data(), values.data(), memory_.bytes());
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return memory_.bytes() / sizeof(T); }
  T& operator[](std::size_t index) const { return data()[index]; }

 private:
  Memory memory_;
};

}  // namespace emulate
