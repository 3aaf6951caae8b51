// A small workload, y = 2 x + 1, and variants of it that do it right or wrong in one way each. Used in
// the tests' own process and, from the plugin, in worker processes.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "harness/sdk/registry.h"

namespace trial {

namespace sdk = harness::sdk;

class Line : public sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "line"; }
  [[nodiscard]] std::string_view summary() const override { return "y = 2 x + 1"; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1},
            {"flops", sdk::ParamKind::real, "what it claims to compute", {}, {0.0}, 1}};
  }
  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    const double flops =
        params.find("flops") != nullptr ? params.real("flops") : 2.0 * static_cast<double>(n);
    return {{{"x", sdk::Role::input, sdk::DType::f32, {n}}, {"y", sdk::Role::output, sdk::DType::f32, {n}}},
            {flops, 8.0 * static_cast<double>(n)},
            {1e-6}};
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i) expected[i] = 2 * inputs[0].at(wanted[i]) + 1;
  }
};

class Right : public sdk::Kernel {
 public:
  Right(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&) : n_(params.integer("n")) {}
  void bind(const sdk::Buffers& buffers) override {
    x_ = buffers.as<float>(0);
    y_ = buffers.as<float>(1);
  }
  void run(sdk::Stream) override {
    for (std::int64_t i = 0; i < n_; ++i) y_[i] = 2 * x_[i] + 1;
  }

 protected:
  std::int64_t n_;
  float* x_ = nullptr;
  float* y_ = nullptr;
};

// ONLY_HONEST: the same names, all of one honest kernel; the incumbent of tests/cheats/refereed.sh.
template <class Named>
sdk::Variant variant(const char* name, const char* device = "cpu") {
#ifdef ONLY_HONEST
  using Kernel = Right;
#else
  using Kernel = Named;
#endif
  return {"line",
          name,
          device,
          "",
          [](const sdk::Params& params, const sdk::Problem& problem, const sdk::DeviceTraits& traits)
              -> std::unique_ptr<sdk::Kernel> { return std::make_unique<Kernel>(params, problem, traits); },
          {}};
}

}  // namespace trial
