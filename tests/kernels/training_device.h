// The device of the training engine in the emulator: its kernels as nvcc compiles them, and plain products in
// place of cuBLASLt.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "harness/sdk/dtype.h"
#include "kernels/training/engine.cuh"
#include "tests/emulate/block.h"

namespace training {

// Work beside the main line happens as early as it may, or as late, so that either finds an operand that
// changes too soon.
class EmulatedDevice {
 public:
  explicit EmulatedDevice(bool has_wgmma, bool is_late = false) : has_wgmma_(has_wgmma), is_late_(is_late) {}
  // No work is left behind.
  ~EmulatedDevice() { EXPECT_TRUE(beside_.empty()); }
  static int multiprocessors() { return 2; }
  [[nodiscard]] bool has_wgmma() const { return has_wgmma_; }
  int plan(const Product& product) {
    products_.push_back(product);
    return static_cast<int>(products_.size()) - 1;
  }

  void multiply(int plan, const void* a, const void* b, const void* c, void* d, float alpha, float beta,
                const float* scale_a, const float* scale_b) {
    const Product& of = products_[static_cast<std::size_t>(plan)];
    const double scale =
        scale_a == nullptr ? 1 : static_cast<double>(*scale_a) * static_cast<double>(*scale_b);
    EXPECT_EQ(scale_a != nullptr, of.a != Element::bf16);
    if (scale_a != nullptr) {
      expect_range_used(a, of.a, of.m * of.k);
      expect_range_used(b, of.b, of.n * of.k);
    }
    for (const void* const at : {a, b, c, static_cast<const void*>(d)})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % 16, 0U);
    for (std::int64_t i = 0; i < of.n * of.m; ++i) {
      const std::int64_t column = i / of.m, row = i % of.m;
      double sum = 0;
      for (std::int64_t p = 0; p < of.k; ++p)
        sum += at(a, of.a, of.a_transposed ? row * of.k + p : p * of.m + row) *
               at(b, of.b, of.b_transposed ? p * of.n + column : column * of.k + p);
      sum *= static_cast<double>(alpha) * scale;
      if (beta != 0) sum += static_cast<double>(beta) * at(c, of.d, i);
      harness::sdk::store(d, type(of.d), i, sum);
    }
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned x, unsigned y, const Arguments&... arguments) {
    emulate::launch({emulate::Landing::late, emulate::Order::shuffled, ++launches_}, {x, y, 1},
                    {threads_a_block, 1, 1}, 0, kernel, arguments...);
  }
  template <class... Parameters, class... Arguments>
  void launch_shaped(void (*kernel)(Parameters...), const LaunchShape& shape, const Arguments&... arguments) {
    emulate::launch({emulate::Landing::late, emulate::Order::shuffled, ++launches_}, {shape.x, shape.y, 1},
                    {shape.threads, 1, 1}, shape.shared_bytes, kernel, arguments...);
  }
  static void zero(void* at, std::size_t bytes) { std::memset(at, 0, bytes); }

  void beside(int name, std::function<void()> work) {
    if (is_late_)
      beside_.emplace_back(name, std::move(work));
    else
      work();
  }
  void wait(int name) {
    do_all([name](int one) { return one == name; });
  }
  void join() {
    do_all([](int) { return true; });
  }

 private:
  template <class Wanted>
  void do_all(const Wanted& wanted) {
    std::erase_if(beside_, [&](const auto& one) {
      if (wanted(one.first)) one.second();
      return wanted(one.first);
    });
  }
  // A scale that belongs to another operand leaves most of a type's range empty, or saturates.
  static void expect_range_used(const void* codes, Element element, std::int64_t count) {
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(at(codes, element, i)));
    EXPECT_GE(largest, (element == Element::e4m3 ? 448 : 57344) / 8);
  }
  static harness::sdk::DType type(Element element) {
    using harness::sdk::DType;
    return element == Element::f32    ? DType::f32
           : element == Element::e4m3 ? DType::e4m3
           : element == Element::e5m2 ? DType::e5m2
                                      : DType::bf16;
  }
  static double at(const void* from, Element element, std::int64_t index) {
    return harness::sdk::load(from, type(element), index);
  }
  bool has_wgmma_;
  bool is_late_;
  std::vector<std::pair<int, std::function<void()>>> beside_;
  std::vector<Product> products_;
  unsigned launches_ = 0;
};

}  // namespace training
