// Shared by the tests against the stand-in for libcupti: the library loaded, and its state fresh.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fake_cupti.h"
#include "harness/device/cuda/profiling/cupti_library.h"

namespace harness::cuda {

class StandIn : public testing::Test {
 protected:
  StandIn() { use(FAKE_CUPTI_LIBRARY); }
  void TearDown() override { unsetenv("HARNESS_CUPTI"); }

  void use(const char* file) {
    setenv("HARNESS_CUPTI", file, 1);
    library_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    fake_ = reinterpret_cast<FakeCuptiState>(dlsym(library_, "fake_cupti"))();
    *fake_ = FakeCupti{};
    auto loaded = load_cupti();
    ASSERT_TRUE(loaded) << loaded.error().text();
    cupti_ = *loaded;
  }
  void execute(const char* name, std::uint64_t nanoseconds, bool timed = true) {
    reinterpret_cast<FakeCuptiExecute>(dlsym(library_, "fake_cupti_execute"))(name, nanoseconds, timed);
  }
  void load(const std::string& image) {
    reinterpret_cast<FakeCuptiLoad>(dlsym(library_, "fake_cupti_load"))(image.data(), image.size());
  }
  // Nothing of CUPTI is left to disturb what is timed next.
  void expect_detached() {
    EXPECT_FALSE(fake_->subscribed);
    EXPECT_TRUE(fake_->kinds.empty());
    EXPECT_FALSE(fake_->profiling);
    EXPECT_EQ(fake_->hosts, 0);
    EXPECT_EQ(fake_->finalized, 1);
  }

  void* library_ = nullptr;
  FakeCupti* fake_ = nullptr;
  Cupti cupti_;
};

}  // namespace harness::cuda
