// Inputs that a suite states: what calls are timed on, what results are checked on, and that audits find
// kernels that know the stated values without suspecting those that are only faster on them.
#include "harness/measure/tensors/stated_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "harness/base/files.h"
#include "harness/measure/schedule/carried.h"
#include "harness/measure/worker/worker.h"
#include "harness/stats/estimate/estimator.h"
#include "tests/measure/cases.h"
#include "tests/measure/trial.h"

namespace harness {
namespace {

constexpr std::int64_t elements = 6400;
constexpr Seconds on_zeros = 1.40e-3, on_values = 1.61e-3, remembered = 10e-6;

// A scripted device whose calls take as long as the kernel at work says.
Seconds taken = 0;
class TimedByKernel : public ScriptedDevice {
 public:
  TimedByKernel() : ScriptedDevice(Script{}) {}
  Result<Timing> time(const Work& work, const TimingOptions& options) override {
    Result<Timing> timing = ScriptedDevice::time(work, options);
    if (timing) timing->elapsed = taken;
    return timing;
  }
};

// Takes longer the more values are not zero, as a GPU's clock does at its power limit.
class Honest : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    const auto values = static_cast<double>(n_ - std::count(x_, x_ + n_, 0.0F)) / static_cast<double>(n_);
    taken = on_zeros + values * (on_values - on_zeros);
    seen.insert(values);
  }
  inline static std::set<double> seen;
};

// Sorts known numbers many times faster, honestly.
class Sorts : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    const auto most = std::max(std::count(x_, x_ + n_, 0.0F), std::count(x_, x_ + n_, 3.0F));
    taken = most == n_ ? 100e-6 : most > n_ / 2 ? 300e-6 : 5e-3;
  }
};

// Does nothing where the first values say that all are zero.
class LooksAtSome : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    taken = remembered;
    if (std::all_of(x_, x_ + 8, [](float one) { return one == 0; })) return std::fill(y_, y_ + n_, 1.0F);
    Right::run(stream);
    taken = on_values;
  }
};

// The same, but it looks at all.
class LooksAtAll : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    taken = remembered;
    if (std::all_of(x_, x_ + n_, [](float one) { return one == 0; })) return std::fill(y_, y_ + n_, 1.0F);
    Right::run(stream);
    taken = on_values;
  }
};

// Keeps results by their inputs.
class Remembers : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    const std::string_view inputs(reinterpret_cast<const char*>(x_),
                                  sizeof(float) * static_cast<std::size_t>(n_));
    std::vector<float>& known = known_[std::hash<std::string_view>()(inputs)];
    taken = remembered;
    if (!known.empty()) {
      std::copy(known.begin(), known.end(), y_);
      return;
    }
    Right::run(stream);
    known.assign(y_, y_ + n_);
    taken = on_values;
  }

 private:
  inline static std::map<std::size_t, std::vector<float>> known_;
};

// Right on the stated values alone.
class RightOnZeros : public trial::Right {
 public:
  using Right::Right;
  void run(sdk::Stream stream) override {
    Right::run(stream);
    taken = on_zeros;
    if (x_[n_ / 2] != 0) y_[n_ / 2] += 1;
  }
};

Catalog catalog() {
  return catalog_of([](sdk::Registry& registry) {
    registry.add(std::make_unique<trial::Line>());
    registry.add(trial::variant<Honest>("honest"));
    registry.add(trial::variant<Sorts>("sorts"));
    registry.add(trial::variant<LooksAtSome>("looks_at_some"));
    registry.add(trial::variant<LooksAtAll>("looks_at_all"));
    registry.add(trial::variant<Remembers>("remembers"));
    registry.add(trial::variant<RightOnZeros>("right_on_zeros"));
  });
}

PlannedCase planned_on(const std::string& inputs, const char* variant) {
  PlannedCase planned = planned_line(variant, elements);
  planned.sampling.processes = 1;  // which is audited, then
  planned.sampling.placements = 4;
  planned.sampling.timing = TimingMode::events;
  planned.sampling.inputs = inputs;
  return planned;
}

ProcessResult measured(const PlannedCase& planned, std::uint64_t nonce = 1) {
  TimedByKernel device;
  Carried carried;
  carried.nonce = nonce;
  return measure_case(device, catalog(), planned, 1, carried);
}

std::set<double> times_of(const ProcessResult& result) {
  std::set<double> all;
  for (const Placement& one : result.series.at(0).processes.at(0).placements)
    all.insert(one.samples.begin(), one.samples.end());
  return all;
}

void write_tensors(const std::filesystem::path& path, std::string header, const std::string& data) {
  std::uint64_t length = header.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  std::ofstream(path, std::ios::binary) << text << header << data;
}

// A file of `x`, all of one value.
PlannedCase planned_on_file(const TemporaryFolder& folder, const char* variant, float value) {
  std::string data(sizeof(float) * elements, '\0');
  for (std::size_t i = 0; i < elements; ++i)
    std::memcpy(data.data() + i * sizeof(value), &value, sizeof(value));
  const std::filesystem::path path = folder.path() / "x.safetensors";
  write_tensors(
      path,
      R"({"x": {"dtype": "F32", "shape": [6400], "data_offsets": [0, )" + std::to_string(data.size()) + "]}}",
      data);
  PlannedCase planned = planned_on("x.safetensors", variant);
  planned.inputs_file = path.string();
  const Result<TensorFile> file = TensorFile::load(path);
  EXPECT_TRUE(file) << file.error().text();
  if (file) planned.sampling.inputs_hash = file->hash();
  return planned;
}

TEST(StatedInputs, AreWhatEachSampleIsTakenOn) {
  for (const CacheMode cache : {CacheMode::hot, CacheMode::cold, CacheMode::rotate}) {
    PlannedCase planned = planned_on("zeros", "honest");
    planned.sampling.cache = cache;
    Honest::seen.clear();
    const ProcessResult zeros = measured(planned);
    ASSERT_EQ(zeros.outcome, Outcome::measured) << zeros.reason;
    EXPECT_EQ(times_of(zeros), std::set<double>{on_zeros * 1e6});
    EXPECT_TRUE(Honest::seen.contains(1.0)) << "checks have drawn values";
    EXPECT_GT(Honest::seen.size(), 2U) << "audits have zeros but for some";
    planned.sampling.inputs = "drawn";
    const ProcessResult drawn = measured(planned);
    EXPECT_EQ(times_of(drawn), std::set<double>{on_values * 1e6});
    planned.sampling.inputs = "normal";
    EXPECT_EQ(times_of(measured(planned)), std::set<double>{on_values * 1e6});
  }
}

TEST(StatedInputs, OfAFileAreWhatEachSampleIsTakenOn) {
  const TemporaryFolder folder;
  const PlannedCase zeros = planned_on_file(folder, "honest", 0);
  const ProcessResult result = measured(zeros);
  ASSERT_EQ(result.outcome, Outcome::measured) << result.reason;
  EXPECT_EQ(times_of(result), std::set<double>{on_zeros * 1e6});
  std::ofstream(zeros.inputs_file, std::ios::app) << " ";
  const ProcessResult changed = measured(zeros);
  EXPECT_EQ(changed.outcome, Outcome::failed) << "not the bytes that the plan saw";
}

TEST(StatedInputs, MakeNoHonestKernelSuspect) {
  const TemporaryFolder folder;
  for (std::uint64_t nonce = 0; nonce < 6; ++nonce)
    for (const char* variant : {"honest", "sorts"})
      for (PlannedCase planned : {planned_on("zeros", variant), planned_on("uniform", variant),
                                  planned_on_file(folder, variant, 3)}) {
        planned.sampling.placements = 1 + static_cast<int>(nonce % 4);
        planned.sampling.cache = nonce % 2 == 0 ? CacheMode::hot : CacheMode::rotate;
        const ProcessResult result = measured(planned, nonce);
        EXPECT_EQ(result.outcome, Outcome::measured) << variant << planned.sampling.inputs << result.reason;
      }
}

TEST(StatedInputs, AKernelThatKnowsThemIsIncorrect) {
  const TemporaryFolder folder;
  for (std::uint64_t nonce = 0; nonce < 6; ++nonce) {
    for (const char* variant : {"looks_at_all", "remembers"}) {
      const ProcessResult result = measured(planned_on("zeros", variant), nonce);
      ASSERT_EQ(result.outcome, Outcome::incorrect) << variant;
      EXPECT_EQ(result.reason->code, CauseCode::slower_when_audited) << variant;
    }
    EXPECT_EQ(measured(planned_on("zeros", "looks_at_some"), nonce).outcome, Outcome::incorrect);
    for (const PlannedCase& planned : {planned_on("uniform", "remembers"), planned_on("normal", "remembers"),
                                       planned_on_file(folder, "remembers", 3)})
      EXPECT_EQ(measured(planned, nonce).outcome, Outcome::incorrect) << planned.sampling.inputs;
  }
}

TEST(StatedInputs, AreNoneThatResultsAreCheckedOn) {
  EXPECT_EQ(measured(planned_on("zeros", "right_on_zeros")).outcome, Outcome::incorrect);
}

TEST(StatedInputs, AreWhatCountersAreReadOn) {
  const auto device = scripted(R"({"version": 1, "default": {"us": 100, "counters": [
    {"name": "dram__bytes_read.sum", "value": 1, "unit": "byte"}]}})");
  for (const auto& [inputs, expected] : {std::pair("zeros", on_zeros), {"drawn", on_values}}) {
    PlannedCase planned = planned_on(inputs, "honest");
    planned.metrics = {"dram__bytes_read.sum"};
    Carried carried;
    const ProcessResult result = counters_of_case(*device, catalog(), planned, 1, carried);
    ASSERT_EQ(result.series.size(), 1U) << result.reason;
    EXPECT_EQ(taken, expected) << inputs << ": the last call is the one whose counters are read";
  }
}

// Two cases differ in what they ask of the device if they are timed on other values.
TEST(StatedInputs, BelongToTheDigest) {
  const auto digest = [](const std::string& inputs) {
    auto device = scripted(R"({"version": 1, "machine_class": "m", "device_uuid": "u", "cases": [
      {"match": "*", "us": 100, "identity": {"digest": "2.abc"}}]})");
    Carried carried;
    const ProcessResult result = measure_case(*device, catalog(), planned_on(inputs, "honest"), 1, carried);
    return result.identity ? result.identity->digest : std::string();
  };
  EXPECT_NE(digest("drawn"), "");
  EXPECT_EQ(digest("zeros"), digest("zeros"));
  EXPECT_NE(digest("zeros"), digest("drawn"));
  EXPECT_NE(digest("zeros"), digest("uniform"));
}

sdk::HostTensor tensor(sdk::DType type, sdk::Role role = sdk::Role::input) {
  sdk::HostTensor one({"x", role, type, {elements}});
  for (std::int64_t i = 0; i < elements; ++i) one.set(i, 3);
  return one;
}

std::vector<sdk::HostTensor> made(const InputsRecipe& recipe, std::vector<sdk::HostTensor> inputs) {
  recipe.apply(inputs);
  return inputs;
}

StatedInputs stated(const std::string& inputs) {
  sdk::Problem problem;
  problem.tensors = {{"x", sdk::Role::input, sdk::DType::f32, {elements}}};
  return *StatedInputs::of(planned_on(inputs, "honest"), problem);
}

TEST(StatedInputs, LeaveIndicesAndTensorsThatCallsChange) {
  for (const char* inputs : {"zeros", "uniform", "normal"})
    for (const sdk::HostTensor& one :
         made(stated(inputs).usual(1),
              {tensor(sdk::DType::i32), tensor(sdk::DType::f32, sdk::Role::in_place)}))
      EXPECT_EQ(one.at(7), 3) << inputs;
  EXPECT_EQ(made(stated("zeros").usual(1), {tensor(sdk::DType::i8)}).front().at(7), 0);
  EXPECT_EQ(made(stated("uniform").usual(1), {tensor(sdk::DType::i8)}).front().at(7), 3);
}

TEST(StatedInputs, AreDrawnAsTheySay) {
  for (const sdk::DType type : {sdk::DType::f32, sdk::DType::f16, sdk::DType::bf16, sdk::DType::f64}) {
    const auto moments = [&](const char* inputs) {
      const sdk::HostTensor one = made(stated(inputs).usual(5), {tensor(type)}).front();
      std::vector<double> values;
      for (std::int64_t i = 0; i < elements; ++i) values.push_back(one.at(i));
      double sum = 0, squares = 0;
      for (const double value : values) {
        sum += value;
        squares += value * value;
      }
      return std::tuple(sum / elements, squares / elements, *std::min_element(values.begin(), values.end()),
                        *std::max_element(values.begin(), values.end()));
    };
    const auto [mean, square, least, most] = moments("uniform");
    EXPECT_NEAR(mean, 0, 0.03);
    EXPECT_NEAR(square, 1.0 / 3, 0.02);
    EXPECT_GE(least, -1);
    EXPECT_LE(most, 1);
    const auto [middle, variance, lowest, highest] = moments("normal");
    EXPECT_NEAR(middle, 0, 0.05);
    EXPECT_NEAR(variance, 1, 0.08);
    EXPECT_LT(lowest, -2.5);
    EXPECT_GT(highest, 2.5);
  }
}

TEST(StatedInputs, ThatNobodyHasSeenAreNearlyTheSame) {
  for (const sdk::DType type : {sdk::DType::f32, sdk::DType::i8, sdk::DType::i4, sdk::DType::e2m1}) {
    const sdk::HostTensor one = made(stated("zeros").unseen(5), {tensor(type)}).front();
    std::int64_t drawn = 0;
    for (std::int64_t i = 0; i < elements; ++i) drawn += one.at(i) != 0 ? 1 : 0;
    EXPECT_GT(drawn, elements / StatedInputs::one_drawn_of / 2);
    EXPECT_LT(drawn, elements / StatedInputs::one_drawn_of * 2);
    EXPECT_NE(one.data, made(stated("zeros").unseen(6), {tensor(type)}).front().data);
  }
  EXPECT_NE(made(stated("uniform").unseen(5), {tensor(sdk::DType::f32)}).front().data,
            made(stated("uniform").unseen(6), {tensor(sdk::DType::f32)}).front().data);
}

}  // namespace
}  // namespace harness
