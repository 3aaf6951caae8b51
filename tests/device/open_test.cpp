#include "harness/device/open.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/files.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

using testing::HasSubstr;

// Points HARNESS_CUDA_MODULE somewhere for one test.
class ChosenModule {
 public:
  explicit ChosenModule(const std::string& path) { setenv("HARNESS_CUDA_MODULE", path.c_str(), 1); }
  ~ChosenModule() { unsetenv("HARNESS_CUDA_MODULE"); }
  ChosenModule(const ChosenModule&) = delete;
  ChosenModule& operator=(const ChosenModule&) = delete;
};

bool driver_is_here() {
  return dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
}

TEST(OpenDevice, OpensTheCpu) {
  const Result<OpenedDevice> opened = open_device("cpu");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->device->traits().kind, "cpu");
  EXPECT_EQ(opened->module, nullptr);
}

TEST(OpenDevice, OpensAScript) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "a script.json").string();
  std::ofstream(path) << R"({"version": 1})";
  const Result<OpenedDevice> opened = open_device("scripted:" + path);
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->device->traits().name, "scripted");
  EXPECT_EQ(open_device("scripted:/no/such").error().where.file, "/no/such");
}

TEST(OpenDevice, KnowsEveryKindInTheTable) {
  for (const DeviceKind& kind : device_kinds) {
    const Result<OpenedDevice> opened = open_device(kind.name);
    if (opened) {
      EXPECT_EQ(opened->device->traits().kind, kind.name);
    } else {
      EXPECT_NE(opened.error().kind, ErrorKind::usage) << kind.name;
    }
  }
}

TEST(OpenDevice, SuggestsTheNearestName) {
  EXPECT_THAT(open_device("cdua").error().advice, HasSubstr("`cuda`"));
  for (const char* name : {"", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "cudas"})
    EXPECT_EQ(open_device(name).error().kind, ErrorKind::usage) << name;
}

TEST(CudaObstacle, IsTheMissingModule) {
  const ChosenModule none("/no/such/module.so");
  EXPECT_EQ(cuda_obstacle(), Cause{CauseCode::no_cuda_module});
  EXPECT_EQ(cuda_architectures(), "");
  const Result<OpenedDevice> opened = open_device("cuda:1");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::environment);
}

TEST(CudaObstacle, IsTheMissingDriverWhenThereIsAModule) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "module.so").string();
  std::ofstream(path) << "not a library";
  const ChosenModule chosen(path);
  EXPECT_EQ(cuda_obstacle(), driver_is_here() ? std::nullopt : std::optional(Cause{CauseCode::no_driver}));
  EXPECT_EQ(open_device("cuda").error().kind, ErrorKind::environment);
  EXPECT_EQ(cuda_architectures(), "");
}

}  // namespace
}  // namespace harness
