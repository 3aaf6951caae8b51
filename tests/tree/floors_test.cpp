// Folders include only lower floors, and the checker that says so sees what it should see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/text.h"
#include "include_rules.h"
#include "tree_files.h"

namespace harness::tree {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> check(std::string_view path, std::string_view line) {
  return include_violations(path, "#pragma once\n" + std::string(line) + "\n");
}

TEST(Floors, AreKeptByEveryFile) {
  const auto files = files_below({"harness", "kernels"}, {".h", ".cpp", ".cu", ".cuh"});
  ASSERT_GT(files.size(), 40U) << "the tree was not found";
  std::vector<std::string> found;
  for (const SourceFile& file : files)
    for (std::string& one : include_violations(file.path, file.text)) found.push_back(std::move(one));
  EXPECT_TRUE(found.empty()) << join(found, "\n");
}

TEST(FloorChecker, LetsLowerFloorsAndTheOwnFolderPass) {
  EXPECT_THAT(check("harness/report/a.cpp", "#include \"harness/model/record.h\""), IsEmpty());
  EXPECT_THAT(check("harness/report/a.cpp", "#include \"harness/report/report.h\""), IsEmpty());
  EXPECT_THAT(check("harness/cli/main.cpp", "#include \"harness/measure/schedule/run.h\""), IsEmpty());
  EXPECT_THAT(check("harness/model/plan.h", "#include \"harness/sdk/params.h\""), IsEmpty());
  EXPECT_THAT(check("harness/base/text.h", "#include <vector>"), IsEmpty());
  EXPECT_THAT(check("kernels/w/cpu_a.cpp", "#include \"harness/sdk/workload.h\""), IsEmpty());
  EXPECT_THAT(check("kernels/w/cuda_a.cu", "#include <cublasLt.h>"), IsEmpty());
  EXPECT_THAT(check("harness/device/cuda/timing/gate.cpp", "#include <cuda.h>"), IsEmpty());
  EXPECT_THAT(check("harness/base/a.cpp", "// #include \"harness/cli/main.h\""), IsEmpty());
}

TEST(FloorChecker, CatchesAHigherFloorAndNamesTheLine) {
  EXPECT_THAT(check("harness/base/text.h", "#include \"harness/model/record.h\""),
              ElementsAre(HasSubstr("harness/base/text.h:2: includes harness/model/record.h: `base` is on "
                                    "floor 0 and may not include `model` on floor 2")));
  EXPECT_THAT(check("harness/model/a.h", "#include \"harness/cli/main.h\""), testing::SizeIs(1));
}

TEST(FloorChecker, CatchesAPeer) {
  EXPECT_THAT(check("harness/report/a.cpp", "#include \"harness/verdict/compare.h\""), testing::SizeIs(1));
  EXPECT_THAT(check("harness/stats/a.cpp", "#include \"harness/model/record.h\""), testing::SizeIs(1));
  EXPECT_THAT(check("harness/sdk/a.h", "#include \"harness/base/text.h\""), testing::SizeIs(1));
}

TEST(FloorChecker, CatchesEverySpelling) {
  for (const char* line : {"#include <harness/cli/main.h>", "  #  include  \"harness/cli/main.h\"",
                           "#include\"harness/cli/main.h\"", "#include \"harness/cli/main.h\" // why"})
    EXPECT_THAT(check("harness/base/a.cpp", line), testing::SizeIs(1)) << line;
  EXPECT_THAT(check("harness/base/a.cpp", "#include \"../cli/main.h\""),
              ElementsAre(HasSubstr("without `..`")));
}

TEST(FloorChecker, CatchesAFolderWithoutAFloor) {
  EXPECT_THAT(check("harness/attic/a.cpp", "#include \"harness/base/text.h\""),
              ElementsAre(HasSubstr("`harness/attic` has no floor")));
  EXPECT_THAT(check("harness/cli/a.cpp", "#include \"harness/attic/a.h\""), testing::SizeIs(1));
}

TEST(FloorChecker, CatchesCudaOutsideItsPlace) {
  for (const char* header :
       {"cuda_runtime.h", "cublasLt.h", "cupti.h", "nvml.h", "nvtx3/nvtx3.hpp", "mma.h"}) {
    const std::string line = "#include <" + std::string(header) + ">";
    EXPECT_THAT(check("harness/device/open.cpp", line), testing::SizeIs(1)) << header;
    EXPECT_THAT(check("kernels/w/workload.cpp", line), testing::SizeIs(1)) << header;
    EXPECT_THAT(check("kernels/w/device.cuh", line), IsEmpty()) << header;
  }
}

TEST(FloorChecker, CatchesKernelsThatKnowTheHouseAndAHouseThatKnowsItsKernels) {
  EXPECT_THAT(check("kernels/w/a.cpp", "#include \"harness/base/text.h\""),
              ElementsAre(HasSubstr("kernels/ includes only harness/sdk")));
  EXPECT_THAT(check("harness/measure/a.cpp", "#include \"kernels/w/w.h\""), testing::SizeIs(1));
}

}  // namespace
}  // namespace harness::tree
