// The classifier: its data, its training, its modes, and what quantisation-aware training is worth.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/sdk/registry.h"
#include "kernels/classifier/mode_kernel.h"
#include "kernels/classifier/train.h"
#include "tests/kernels/relative_error.h"

#define VARIANTS(use)                                                                                 \
  use(fp32) use(fp16) use(int8_dynamic) use(int8_calibrated) use(e4m3) use(e5m2) use(int4) use(mxfp4) \
      use(int8_qat) use(int4_qat)
#define DECLARE(name) void register_variant_classifier_##name(harness::sdk::Registry&);
#define CALL(name) register_variant_classifier_##name(registry);
void register_workload_classifier(harness::sdk::Registry&);
VARIANTS(DECLARE)

namespace classifier {
namespace {

using harness::sdk::HostTensor;
using harness::sdk::Params;
using harness::sdk::Value;

class Metrics final : public harness::sdk::MetricSink {
 public:
  void report(std::string_view name, double value) override { values.emplace(name, value); }
  std::map<std::string, double> values;
};

struct Result {
  std::map<std::string, double> metrics;
  double error = 0;      // against the float32 network
  double tolerance = 0;  // of the variant
};

class Trained {
 public:
  explicit Trained(std::uint64_t seed, std::int64_t hidden = 64) : params({{"hidden", Value{hidden}}}) {
    register_workload_classifier(registry);
    VARIANTS(CALL)
    for (const auto& spec : workload().problem(params).tensors) tensors.emplace_back(spec);
    workload().fill(params, seed, inputs());
  }
  [[nodiscard]] const harness::sdk::Workload& workload() const { return *registry.workloads.front(); }
  [[nodiscard]] std::span<HostTensor> inputs() { return std::span(tensors).first(logits_index); }

  Result run(const std::string& variant) {
    for (const harness::sdk::Variant& one : registry.variants) {
      if (one.name != variant) continue;
      const auto kernel = one.make(params, workload().problem(params), {});
      std::vector<void*> addresses;
      for (HostTensor& tensor : tensors) addresses.push_back(tensor.data.data());
      std::fill(tensors[logits_index].data.begin(), tensors[logits_index].data.end(), std::byte{0xFF});
      kernel->bind({addresses, nullptr});
      kernel->run({});
      Metrics metrics;
      workload().report(params, inputs(), std::span(tensors).subspan(logits_index), metrics);
      kernel->report(metrics);
      return {metrics.values, relative_error(workload(), params, inputs(), tensors[logits_index]),
              kernel->tolerance()->relative};
    }
    throw std::runtime_error("no variant " + variant);
  }

  harness::sdk::Registry registry;
  Params params;
  std::vector<HostTensor> tensors;
};

const std::vector<std::string> all_modes{"fp32", "fp16", "int8_dynamic", "int8_calibrated", "e4m3",
                                         "e5m2", "int4", "mxfp4",        "int8_qat",        "int4_qat"};

// Ten seeds. One test uses them, because each runs in a process of its own.
const std::map<std::string, std::vector<Result>>& ten_seeds() {
  static const std::map<std::string, std::vector<Result>> results = [] {
    std::map<std::string, std::vector<Result>> all;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Trained trained(seed);
      for (const std::string& mode : all_modes) all[mode].push_back(trained.run(mode));
    }
    return all;
  }();
  return results;
}

double mean_of(const std::string& mode, const std::string& metric) {
  double sum = 0;
  for (const Result& one : ten_seeds().at(mode)) sum += one.metrics.at(metric);
  return sum / static_cast<double>(ten_seeds().at(mode).size());
}

TEST(Digits, AreThePublicOnes) {
  std::array<int, classes> of_digit{};
  std::int64_t sum = 0;
  for (std::int64_t p = 0; p < pictures; ++p) {
    ++of_digit.at(static_cast<std::size_t>(digit_of(p)));
    for (std::int64_t i = 0; i < pixels; ++i) {
      EXPECT_LE(pixel_of(p, i), 1);
      sum += digit_rows[p * row_length + i];
    }
  }
  // The counts that scikit-learn's page of the data set tells, and the sum of all pixels.
  EXPECT_THAT(of_digit, testing::ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
  EXPECT_EQ(sum, 561718);
}

TEST(Training, GivesTheSameNetworkForTheSameSeedAndOthersForOthers) {
  const Network one = train(16, 5), again = train(16, 5), other = train(16, 6);
  EXPECT_EQ(one.values, again.values);
  EXPECT_NE(one.values, other.values);
  EXPECT_EQ(one.largest, again.largest);
  EXPECT_EQ(one.largest[0], 1);
  EXPECT_GT(one.largest[1], 0);
}

void stay_within_their_contracts() {
  for (const std::string& mode : all_modes)
    for (const Result& one : ten_seeds().at(mode)) {
      EXPECT_LE(one.error, one.tolerance) << mode;
      const bool has_own_network = mode.find("qat") != std::string::npos || mode == "fp32";
      EXPECT_GT(one.error, has_own_network ? 0 : one.tolerance / 20)
          << mode << ": a contract that loose says nothing";
    }
}

void lose_little_accuracy() {
  EXPECT_GT(mean_of("fp32", "accuracy"), 90);
  for (const std::string mode : {"fp16", "int8_dynamic", "int8_calibrated", "e4m3", "int8_qat", "int4_qat"})
    EXPECT_GT(mean_of(mode, "accuracy"), mean_of("fp32", "accuracy") - 0.5) << mode;
  EXPECT_NE(mean_of("fp32", "loss"), mean_of("int4", "loss"));
}

void training_on_does_not_lose_against_calibration() {
  EXPECT_GE(mean_of("int8_qat", "accuracy"), mean_of("int8_calibrated", "accuracy") - 0.25);
  EXPECT_GE(mean_of("int4_qat", "accuracy"), mean_of("int4", "accuracy") - 0.25);
  EXPECT_LE(mean_of("int4_qat", "loss"), mean_of("int4", "loss") + 0.01);
}

TEST(Modes, OverTenSeeds) {
  stay_within_their_contracts();
  lose_little_accuracy();
  training_on_does_not_lose_against_calibration();
}

// 64 x 64 + 64 x 10 weights, 64 + 10 biases and as many outputs.
TEST(Modes, TellTheirSizeExactly) {
  Trained trained(1);
  constexpr double weights = 4736, outputs = 74;
  const auto bytes = [&](const std::string& mode) { return trained.run(mode).metrics.at("model_bytes"); };
  EXPECT_EQ(bytes("fp32"), 4 * (weights + outputs));
  EXPECT_EQ(bytes("fp16"), 2 * (weights + outputs));
  EXPECT_EQ(bytes("int8_dynamic"), weights + 4 * outputs + 4 * outputs);
  EXPECT_EQ(bytes("int8_calibrated"), weights + 4 * outputs + 4 * outputs + 8);
  EXPECT_EQ(bytes("int8_qat"), bytes("int8_calibrated"));
  EXPECT_EQ(bytes("e4m3"), weights + 4 * 2 + 4 * outputs + 8);
  EXPECT_EQ(bytes("int4"), weights / 2 + 4 * 2 * outputs + 4 * outputs);
  EXPECT_EQ(bytes("mxfp4"), weights / 2 + 2 * outputs + 4 * outputs);
}

TEST(Modes, RoundWeightsByGroupsOfAnOutput) {
  // Two outputs, four inputs, groups of two.
  const std::vector<float> weights{7, 14, -3.5F, 7, 0, 0, 0, 14};
  const Mode mode{.weights = harness::sdk::DType::i4, .group = 2};
  const RoundedWeights rounded = rounded_weights(mode, weights, 2);
  EXPECT_THAT(rounded.scales, testing::ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(rounded.codes, testing::ElementsAre(7, 7, -4, 4, 0, 0, 0, 7)) << "3.5 is a tie";
  const Mode mx{.weights = harness::sdk::DType::e2m1, .group = 2, .power_of_two = true};
  const RoundedWeights powers = rounded_weights(mx, weights, 2);
  EXPECT_THAT(powers.scales, testing::ElementsAre(1, 2, 1, 2)) << "2^(floor(log2 7) - 2)";
  EXPECT_THAT(powers.codes, testing::ElementsAre(6, 6, -4, 4, 0, 0, 0, 6)) << "7 saturates";
}

TEST(Networks, OfOtherSizesAreTailsToo) {
  Trained trained(3, 33);
  for (const std::string& mode : all_modes) {
    const Result one = trained.run(mode);
    EXPECT_LE(one.error, one.tolerance) << mode;
    EXPECT_GT(one.metrics.at("accuracy"), 85) << mode;
  }
}

TEST(Networks, ThatAreAbsurdlyLargeAreRefused) {
  harness::sdk::Registry registry;
  register_workload_classifier(registry);
  EXPECT_THROW((void)registry.workloads.front()->problem(Params({{"hidden", Value{std::int64_t{5000}}}})),
               harness::sdk::Unsupported);
}

}  // namespace
}  // namespace classifier
