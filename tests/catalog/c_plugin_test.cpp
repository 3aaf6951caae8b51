#include "harness/catalog/c_plugin.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace harness {
namespace {

using testing::HasSubstr;

// A plug-in for y = 2 x whose behaviour each test sets.
struct Behaviour {
  int prepared = HARNESS_OK;
  int opened = HARNESS_OK;
  int dtype = HARNESS_F32;
  std::int64_t variant_extent = 0;  // added to that of the reference
  int dimensions = 1;
  bool no_tensors = false;
  int ran = HARNESS_OK;
  int open_now = 0;  // opened and not closed
};
Behaviour behaviour;

struct Doubling {
  const harness_request* request;
  std::array<harness_tensor, 2> tensors{};
  std::array<void*, 2> bound{};
};

int prepare_one(const harness_request* request) {
  std::snprintf(request->message, request->message_bytes, "no library for %s", request->variant);
  return behaviour.prepared;
}

int open_one(const harness_request* request, void** state) {
  if (behaviour.opened != HARNESS_OK) {
    std::snprintf(request->message, request->message_bytes, "n is %d",
                  static_cast<int>(request->values[0].integer));
    return behaviour.opened;
  }
  ++behaviour.open_now;
  *state = new Doubling{request};
  return HARNESS_OK;
}

int tensors_of(void* state, harness_problem* problem) {
  auto& self = *static_cast<Doubling*>(state);
  const std::int64_t n =
      self.request->values[0].integer + (self.request->variant == nullptr ? 0 : behaviour.variant_extent);
  self.tensors = {{{"x", HARNESS_INPUT, behaviour.dtype, behaviour.dimensions, {n}},
                   {"y", HARNESS_OUTPUT, behaviour.dtype, behaviour.dimensions, {n}}}};
  problem->tensors = behaviour.no_tensors ? nullptr : self.tensors.data();
  problem->tensor_count = 2;
  problem->bytes = 8;
  problem->workspace_bytes = 16;
  return HARNESS_OK;
}

int bind_one(void* state, void* const* tensors, void*) {
  auto& self = *static_cast<Doubling*>(state);
  self.bound = {tensors[0], tensors[1]};
  return HARNESS_OK;
}

template <class T>
void twice(const Doubling& self) {
  for (std::int64_t i = 0; i < self.tensors[0].shape[0]; ++i)
    static_cast<T*>(self.bound[1])[i] = 2 * static_cast<const T*>(self.bound[0])[i];
}

int run_one(void* state, void*) {
  const auto& self = *static_cast<Doubling*>(state);
  if (self.request->variant == nullptr)
    twice<double>(self);
  else
    twice<float>(self);
  return behaviour.ran;
}

void close_one(void* state) {
  --behaviour.open_now;
  delete static_cast<Doubling*>(state);
}

constexpr std::array parameters{harness_parameter{"n", HARNESS_INTEGER, "elements", nullptr, 1},
                                harness_parameter{nullptr, 0, nullptr, nullptr, 0}};
constexpr std::array variants{harness_variant{"loop", "cpu", "one loop"},
                              harness_variant{nullptr, nullptr, nullptr}};

class CPlugin : public testing::Test {
 protected:
  void SetUp() override { behaviour = {}; }
  void TearDown() override { EXPECT_EQ(behaviour.open_now, 0); }

  Status add() {
    return add_c_plugin({&description_, open_one, tensors_of, bind_one, run_one, close_one, &behaviour},
                        registry_);
  }
  std::string refusal() {
    const Status added = add();
    return added ? "" : added.error().message;
  }
  [[nodiscard]] const sdk::Workload& workload() const { return *registry_.workloads.front(); }
  [[nodiscard]] sdk::Problem problem() const { return workload().problem(params_); }

  harness_plugin_description description_{HARNESS_PLUGIN_VERSION, "twice",         "y = 2 x",
                                          parameters.data(),      variants.data(), nullptr};
  sdk::Registry registry_;
  sdk::Params params_{{{"n", std::int64_t{3}}}};
};

TEST_F(CPlugin, IsPreparedWhereItAsksForThat) {
  ASSERT_TRUE(add());
  EXPECT_FALSE(registry_.variants.back().prepare);
  PluginExports exports{&description_, open_one, tensors_of, bind_one, run_one, close_one};
  exports.prepare = prepare_one;
  ASSERT_TRUE(add_c_plugin(exports, registry_));
  const auto& prepare = registry_.variants.back().prepare;
  EXPECT_NO_THROW(prepare(params_, {}));
  behaviour.prepared = HARNESS_UNSUPPORTED;
  try {
    prepare(params_, {});
    ADD_FAILURE() << "nothing is thrown";
  } catch (const sdk::Unsupported& why) {
    EXPECT_STREQ(why.what(), "no library for loop");
  }
}

TEST_F(CPlugin, BecomesAWorkloadWithAVariantThatRuns) {
  ASSERT_TRUE(add());
  EXPECT_EQ(workload().name(), "twice");
  ASSERT_EQ(workload().params().size(), 1U);
  EXPECT_EQ(workload().params()[0].name, "n");
  const sdk::Problem described = problem();
  ASSERT_EQ(described.tensors.size(), 2U);
  EXPECT_EQ(described.tensors[1].role, sdk::Role::output);
  EXPECT_EQ(described.tensors[1].shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(described.work.bytes, 8);
  EXPECT_EQ(described.tolerance.relative, 1e-6);
  const sdk::Variant& variant = registry_.variants.front();
  EXPECT_EQ(variant.code, &behaviour);
  const auto kernel = variant.make(params_, described, {});
  EXPECT_EQ(kernel->workspace_bytes(), 16U);
  std::array<float, 3> x{1, 2, 3}, y{};
  const std::array<void*, 2> tensors{x.data(), y.data()};
  kernel->bind({tensors, nullptr});
  kernel->run({});
  EXPECT_EQ(y, (std::array<float, 3>{2, 4, 6}));
}

TEST_F(CPlugin, ComputesTheReferenceInDoubles) {
  ASSERT_TRUE(add());
  std::vector<sdk::HostTensor> inputs;
  inputs.emplace_back(problem().tensors[0]);
  for (int i = 0; i < 3; ++i) inputs[0].set(i, i + 0.5);
  const std::array<std::int64_t, 2> wanted{2, 0};
  std::array<double, 2> expected{};
  workload().reference(params_, inputs, 0, wanted, expected);
  EXPECT_EQ(expected, (std::array<double, 2>{5, 1}));
}

int fill_with_sevens(const harness_request*, std::uint64_t, void* const* inputs) {
  for (int i = 0; i < 3; ++i) static_cast<float*>(inputs[0])[i] = 7;
  return HARNESS_OK;
}

TEST_F(CPlugin, FillsItsInputsItselfIfItWants) {
  ASSERT_TRUE(add());
  std::vector<sdk::HostTensor> inputs;
  inputs.emplace_back(problem().tensors[0]);
  workload().fill(params_, 1, inputs);
  EXPECT_NE(inputs[0].at(0), inputs[0].at(1));
  registry_ = {};
  description_.fill = fill_with_sevens;
  ASSERT_TRUE(add());
  workload().fill(params_, 1, inputs);
  EXPECT_EQ(inputs[0].at(2), 7);
}

TEST_F(CPlugin, GivesTheReasonOfAFailure) {
  ASSERT_TRUE(add());
  behaviour.opened = HARNESS_FAILED;
  try {
    (void)problem();
    ADD_FAILURE() << "opened";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "n is 3");
  }
  behaviour.opened = HARNESS_UNSUPPORTED;
  EXPECT_THROW((void)problem(), sdk::Unsupported);
}

TEST_F(CPlugin, NamesTheFunctionThatFailedWithoutAReason) {
  ASSERT_TRUE(add());
  const auto kernel = registry_.variants.front().make(params_, problem(), {});
  std::array<float, 3> x{}, y{};
  const std::array<void*, 2> tensors{x.data(), y.data()};
  kernel->bind({tensors, nullptr});
  behaviour.ran = 9;
  try {
    kernel->run({});
    ADD_FAILURE() << "ran";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("harness_run"), HasSubstr("9")));
  }
}

TEST_F(CPlugin, RefusesTensorsThatAreNone) {
  ASSERT_TRUE(add());
  behaviour.dtype = 17;
  EXPECT_THROW((void)problem(), std::invalid_argument);
  behaviour = {};
  behaviour.dimensions = HARNESS_MOST_DIMENSIONS + 1;
  EXPECT_THROW((void)problem(), std::invalid_argument);
  behaviour = {};
  behaviour.no_tensors = true;
  EXPECT_THROW((void)problem(), std::invalid_argument);
}

TEST_F(CPlugin, RefusesAVariantWithOtherTensorsThanTheReference) {
  ASSERT_TRUE(add());
  const sdk::Problem described = problem();
  behaviour.variant_extent = 1;
  EXPECT_THROW((void)registry_.variants.front().make(params_, described, {}), std::invalid_argument);
}

TEST_F(CPlugin, RefusesADescriptionThatIsNotWhole) {
  const harness_plugin_description whole = description_;
  description_.version = HARNESS_PLUGIN_VERSION + 1;
  EXPECT_THAT(refusal(), HasSubstr(std::to_string(HARNESS_PLUGIN_VERSION + 1)));
  description_ = whole;
  description_.name = nullptr;
  EXPECT_THAT(refusal(), HasSubstr("null"));
  description_.name = "my workload";
  EXPECT_THAT(refusal(), HasSubstr("`my workload`"));
  description_ = whole;
  description_.variants = nullptr;
  EXPECT_NE(refusal(), "");
  const std::array no_device{harness_variant{"loop", nullptr, nullptr},
                             harness_variant{nullptr, nullptr, nullptr}};
  description_.variants = no_device.data();
  EXPECT_THAT(refusal(), HasSubstr("`loop`"));
  const std::array toaster{harness_variant{"loop", "toaster", nullptr},
                           harness_variant{nullptr, nullptr, nullptr}};
  description_.variants = toaster.data();
  EXPECT_THAT(refusal(), HasSubstr("`toaster`"));
  description_ = whole;
  const std::array odd_kind{harness_parameter{"n", 9, nullptr, nullptr, 0},
                            harness_parameter{nullptr, 0, nullptr, nullptr, 0}};
  description_.parameters = odd_kind.data();
  EXPECT_THAT(refusal(), HasSubstr("`n`"));
}

}  // namespace
}  // namespace harness
