// y = a x + b, with one variant that is right and one that forgets the last element.
#include <harness/sdk/registry.h>

namespace {

namespace sdk = harness::sdk;

class Axpy final : public sdk::Workload {
 public:
  std::string_view name() const override { return "axpy"; }
  std::string_view summary() const override { return "y = 3 x + b, element by element"; }
  std::vector<sdk::ParamSpec> params() const override {
    return {{"n", sdk::ParamKind::integer, "elements", {}, {}, 1}};
  }
  sdk::Problem problem(const sdk::Params& params) const override {
    const std::int64_t n = params.integer("n");
    return {{{"x", sdk::Role::input, sdk::DType::f32, {n}},
             {"b", sdk::Role::input, sdk::DType::f32, {n}},
             {"y", sdk::Role::output, sdk::DType::f32, {n}}},
            {2.0 * static_cast<double>(n), 12.0 * static_cast<double>(n), static_cast<double>(n), "elements"},
            {1e-6}};
  }
  std::vector<sdk::MetricSpec> metrics() const override {
    return {{"exact", "%", sdk::Better::higher, "elements that no rounding changed"},
            {"chunk", "elements", sdk::Better::higher, "that the variant deals with at once"}};
  }
  void report(const sdk::Params&, std::span<const sdk::HostTensor> inputs,
              std::span<const sdk::HostTensor> outputs, sdk::MetricSink& sink) const override {
    const std::int64_t n = outputs[0].spec.elements();
    std::int64_t exact = 0;
    for (std::int64_t i = 0; i < n; ++i)
      if (outputs[0].at(i) == 3.0 * inputs[0].at(i) + inputs[1].at(i)) ++exact;
    sink.report("exact", 100.0 * static_cast<double>(exact) / static_cast<double>(n));
  }
  void reference(const sdk::Params&, std::span<const sdk::HostTensor> inputs, std::size_t,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = 3.0 * inputs[0].at(wanted[i]) + inputs[1].at(wanted[i]);
  }
};

class Loop : public sdk::Kernel {
 public:
  Loop(const sdk::Params& params, const sdk::Problem&, const sdk::DeviceTraits&)
      : count_(params.integer("n")) {}
  void bind(const sdk::Buffers& buffers) override { buffers_ = buffers; }
  void run(sdk::Stream) override { up_to(count_); }
  void report(sdk::MetricSink& sink) const override { sink.report("chunk", 1); }

 protected:
  void up_to(std::int64_t end) const {
    const auto* x = buffers_.as<const float>(0);
    const auto* b = buffers_.as<const float>(1);
    auto* y = buffers_.as<float>(2);
    for (std::int64_t i = 0; i < end; ++i) y[i] = 3.0F * x[i] + b[i];
  }
  std::int64_t count_;

 private:
  sdk::Buffers buffers_{};
};

class ForgetsTheTail final : public Loop {
 public:
  using Loop::Loop;
  void run(sdk::Stream) override { up_to(count_ - 1); }
};

HARNESS_WORKLOAD(axpy, Axpy)
HARNESS_VARIANT(axpy, loop, cpu, "one loop", Loop)
HARNESS_VARIANT(axpy, forgets_the_tail, cpu, "wrong on purpose: leaves the last element", ForgetsTheTail)

void register_all(sdk::Registry& registry) {
  register_workload_axpy(registry);
  register_variant_axpy_loop(registry);
  register_variant_axpy_forgets_the_tail(registry);
}

}  // namespace

HARNESS_MODULE("axpy_kernels", register_all)
