// The workload classifier: parameters, networks, metrics and the float64 oracle.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/classifier/classifier.h"
#include "kernels/classifier/train.h"

namespace classifier {
namespace {

using harness::sdk::Better;
using harness::sdk::DType;
using harness::sdk::HostTensor;
using harness::sdk::MetricSink;
using harness::sdk::MetricSpec;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;
using harness::sdk::Value;

class Classifier final : public harness::sdk::Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return "classifier"; }
  [[nodiscard]] std::string_view summary() const override {
    return "logits of a trained network for 597 pictures of digits, by mode of numbers";
  }
  [[nodiscard]] std::vector<ParamSpec> params() const override {
    return {{"hidden", ParamKind::integer, "hidden values of the network", {}, {Value{std::int64_t{64}}}, 1}};
  }
  [[nodiscard]] std::vector<MetricSpec> metrics() const override {
    return {{"accuracy", "%", Better::higher, "test pictures with the right digit"},
            {"loss", "nats", Better::lower, "mean cross entropy on the test pictures"},
            {"model_bytes", "bytes", Better::lower, "weights, scales and biases as stored"}};
  }
  [[nodiscard]] Problem problem(const Params& params) const override;
  void fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const override;
  void reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override;
  void report(const Params& params, std::span<const HostTensor> inputs, std::span<const HostTensor> outputs,
              MetricSink& sink) const override;
};

Problem Classifier::problem(const Params& params) const {
  const Layout layout{params.integer("hidden")};
  if (layout.hidden > 4096)
    throw harness::sdk::Unsupported("more than 4096 hidden values take too long to train");
  Problem problem;
  problem.tensors = {{"x", Role::input, DType::f32, {test_pictures, pixels}},
                     {"digits", Role::input, DType::i32, {test_pictures}},
                     {"network", Role::input, DType::f32, {layout.size()}},
                     {"int8_qat", Role::input, DType::f32, {layout.size()}},
                     {"int4_qat", Role::input, DType::f32, {layout.size()}},
                     {"ranges", Role::input, DType::f32, {networks, ranges}},
                     {"logits", Role::output, DType::f32, {test_pictures, classes}}};
  const double count = static_cast<double>(test_pictures), hidden = static_cast<double>(layout.hidden);
  problem.work = {2 * count * hidden * static_cast<double>(pixels + classes),
                  4 * (count * static_cast<double>(pixels + classes) + static_cast<double>(layout.size())),
                  count, "pictures"};
  problem.tolerance.relative = 1e-5;
  return problem;
}

void Classifier::fill(const Params& params, std::uint64_t seed, std::span<HostTensor> inputs) const {
  const std::int64_t hidden = params.integer("hidden");
  for (std::int64_t t = 0; t < test_pictures; ++t) {
    for (std::int64_t i = 0; i < pixels; ++i)
      inputs[x_index].set(t * pixels + i, pixel_of(train_pictures + t, i));
    inputs[digits_index].set(t, digit_of(train_pictures + t));
  }
  const Network first = train(hidden, seed);
  const std::array trained{first, train_on(hidden, seed, first, Rounding::int8),
                           train_on(hidden, seed, first, Rounding::int4)};
  for (std::size_t n = 0; n < trained.size(); ++n) {
    for (std::size_t i = 0; i < first.values.size(); ++i)
      inputs[network_index + n].set(static_cast<std::int64_t>(i), trained[n].values[i]);
    for (std::size_t r = 0; r < trained[n].largest.size(); ++r)
      inputs[ranges_index].set(static_cast<std::int64_t>(n * trained[n].largest.size() + r),
                               trained[n].largest[r]);
  }
}

// The network as it was trained in float32, in double precision, for every variant: what their numbers lose.
void Classifier::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                           std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("classifier has one output, number 0");
  const Layout layout{params.integer("hidden")};
  const HostTensor &x = inputs[x_index], &network = inputs[network_index];
  std::vector<double> hidden(static_cast<std::size_t>(layout.hidden));
  std::int64_t of = -1;
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    const std::int64_t picture = wanted[e] / classes, digit = wanted[e] % classes;
    if (picture != of)
      for (std::int64_t h = 0; h < layout.hidden; ++h) {
        double sum = network.at(layout.b1() + h);
        for (std::int64_t i = 0; i < pixels; ++i)
          sum += x.at(picture * pixels + i) * network.at(layout.w1() + i * layout.hidden + h);
        hidden[static_cast<std::size_t>(h)] = std::max(sum, 0.0);
      }
    of = picture;
    expected[e] = network.at(layout.b2() + digit);
    for (std::int64_t h = 0; h < layout.hidden; ++h)
      expected[e] += hidden[static_cast<std::size_t>(h)] * network.at(layout.w2() + h * classes + digit);
  }
}

// A tie counts as the smaller digit.
void Classifier::report(const Params&, std::span<const HostTensor> inputs,
                        std::span<const HostTensor> outputs, MetricSink& sink) const {
  double right = 0, loss = 0;
  for (std::int64_t t = 0; t < test_pictures; ++t) {
    std::array<double, static_cast<std::size_t>(classes)> logits{};
    for (std::int64_t c = 0; c < classes; ++c)
      logits[static_cast<std::size_t>(c)] = outputs[0].at(t * classes + c);
    const auto digit = static_cast<std::size_t>(inputs[digits_index].at(t));
    const auto largest = std::max_element(logits.begin(), logits.end());
    if (largest == logits.begin() + static_cast<std::ptrdiff_t>(digit)) ++right;
    double sum = 0;
    for (const double one : logits) sum += std::exp(one - *largest);
    loss += std::log(sum) + *largest - logits[digit];
  }
  const double count = static_cast<double>(test_pictures);
  sink.report("accuracy", 100 * right / count);
  sink.report("loss", loss / count);
}

}  // namespace
}  // namespace classifier

HARNESS_WORKLOAD(classifier, classifier::Classifier)
