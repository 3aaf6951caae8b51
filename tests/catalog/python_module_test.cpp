// Files of Python, planned by the child process that python3 runs. tests/python measures them.
#include "harness/catalog/python_module.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/catalog/catalog.h"
#include "harness/catalog/python_child.h"

namespace harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PythonModule : public testing::Test {
 protected:
  Status load(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "cases.py";
    std::ofstream(file) << text;
    return catalog_.load_module(file);
  }

  TemporaryFolder folder_;
  Catalog catalog_ = Catalog::built_in();
};

constexpr const char* cases = R"(import harness
def work(n):
    if n > 8: raise harness.Unsupported("too large")
    return harness.Work(flops=1 / (n - 5), items=n, item_name="rows")
shift = harness.Workload("shift", inputs={"x": "f32[n, 2*n]"}, outputs={"y": "bf16[n]"}, tolerance=1e-3, work=work,
                         params={"mode": ["up", "down"], "causal": bool}, reference=lambda x: x, summary="moves")
@harness.case(shift)
def loop(x, y):
    """One loop."""
@harness.case(shift, device="cuda")
def on_gpu(x, y): pass
)";

sdk::Params at(std::int64_t n) {
  return sdk::Params({{"mode", "up"}, {"causal", true}, {"n", n}});
}

TEST_F(PythonModule, IsPlannedWithItsParametersAndTensors) {
  const Status loaded = load(cases);
  ASSERT_TRUE(loaded) << loaded.error().text();
  const sdk::Workload* workload = catalog_.workload("shift");
  ASSERT_NE(workload, nullptr);
  EXPECT_EQ(workload->summary(), "moves");
  const std::vector<sdk::ParamSpec> params = workload->params();
  ASSERT_EQ(params.size(), 3U);
  EXPECT_THAT(params[0].choices, ElementsAre("up", "down"));
  EXPECT_EQ(params[1].kind, sdk::ParamKind::boolean);
  EXPECT_EQ(params[2].name, "n");
  EXPECT_THAT(catalog_.variant_names("shift"), ElementsAre("loop", "on_gpu"));
  EXPECT_EQ(catalog_.variant("shift", "on_gpu")->device, "cuda");
  EXPECT_EQ(catalog_.variant("shift", "loop")->summary, "One loop.");
  EXPECT_NE(catalog_.variant("shift", "loop")->make, nullptr);
  const sdk::Problem problem = workload->problem(at(3));
  ASSERT_EQ(problem.tensors.size(), 2U);
  EXPECT_THAT(problem.tensors[0].shape, ElementsAre(3, 6));
  EXPECT_EQ(problem.tensors[1].dtype, sdk::DType::bf16);
  EXPECT_EQ(problem.tensors[1].role, sdk::Role::output);
  EXPECT_EQ(problem.tolerance.relative, 1e-3);
  EXPECT_EQ(problem.work.items, 3);
  EXPECT_EQ(problem.work.item_name, "rows");
}

TEST_F(PythonModule, AddsCasesToAWorkloadOfTheProgram) {
  const std::vector<std::string> before = catalog_.variant_names("mlp");
  const Status loaded = load(R"(import harness
mlp = harness.Workload("mlp", inputs={"x": "f32[n]"}, outputs={"y": "f32[n]"}, built_in=True)
@harness.case(mlp)
def loop(x, y): pass
)");
  ASSERT_TRUE(loaded) << loaded.error().text();
  std::vector<std::string> after = before;
  after.emplace_back("loop");
  EXPECT_EQ(catalog_.variant_names("mlp"), after);
  EXPECT_EQ(catalog_.workload("mlp")->params().front().name, "dtype") << "still the program's";
}

TEST_F(PythonModule, NamesAWorkloadThatTheProgramDoesNotHave) {
  const Status loaded = load(R"(import harness
none = harness.Workload("none", inputs={}, outputs={"y": "f32[1]"}, built_in=True)
@harness.case(none)
def loop(y): pass
)");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("`none`"));
}

TEST_F(PythonModule, TellsUnsupportedFromAMistakeWithItsLine) {
  ASSERT_TRUE(load(cases));
  const sdk::Workload& workload = *catalog_.workload("shift");
  EXPECT_THROW((void)workload.problem(at(9)), sdk::Unsupported);
  try {
    (void)workload.problem(at(5));
    ADD_FAILURE() << "5 - 5 was a divisor";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cases.py:4: ZeroDivisionError"));
  }
}

TEST_F(PythonModule, NamesTheLineOfAMistakeInTheFile) {
  const Status loaded =
      load("import harness\n\nharness.Workload('w', inputs={}, outputs={}, reference=len)\n");
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("cases.py:3: ValueError"));
  EXPECT_THAT(loaded.error().where.file, HasSubstr("cases.py"));
}

// The end of a file that says nothing more is not waited for.
TEST_F(PythonModule, HasADeadlineForDescribingItself) {
  const std::filesystem::path file = folder_.path() / "cases.py";
  for (const char* text : {"import time\ntime.sleep(600)\n", "while True: pass\n"}) {
    std::ofstream(file) << text;
    const auto started = PythonChild::start(file, 0.2);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, ErrorKind::environment);
  }
  std::ofstream(file) << cases;
  EXPECT_TRUE(PythonChild::start(file)) << "a file that describes itself at once";
}

}  // namespace
}  // namespace harness
