// cuFFT, loaded when it is asked for: the few names of its C API that are used, declared here. Host code
// without CUDA. A library lives as long as the process; a plan belongs to one thread at a time.
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/loaded_library.h"

namespace operators::spectral {

struct CufftLibrary {
  using Plan = int;
  static constexpr int real_to_complex = 0x2a;
  static constexpr int complex_to_real = 0x2c;

  int (*create)(Plan*) = nullptr;
  int (*destroy)(Plan) = nullptr;
  int (*set_auto_allocation)(Plan, int) = nullptr;
  int (*make_plan_many)(Plan, int rank, long long* extents, long long* in_extents, long long in_stride,
                        long long in_distance, long long* out_extents, long long out_stride,
                        long long out_distance, int type, long long batch, std::size_t* workspace) = nullptr;
  int (*set_work_area)(Plan, void*) = nullptr;
  int (*set_stream)(Plan, void*) = nullptr;
  int (*forward)(Plan, float*, void*) = nullptr;
  int (*inverse)(Plan, void*, float*) = nullptr;

  // The process's copy. Throws Unsupported with the reason where there is none.
  static const CufftLibrary& instance() {
    static const CufftLibrary library;
    return library;
  }

  static void check(int status, const char* call) {
    if (status != 0) throw std::runtime_error(std::string(call) + ": cuFFT status " + std::to_string(status));
  }

 private:
  CufftLibrary() {
    const kernels::LibraryName name = {"cuFFT", "HARNESS_CUFFT_PATH", {"libcufft.so.12", "libcufft.so.11"}};
    const kernels::LoadedLibrary library(name, kernels::LoadedLibrary::candidates(name));
    library.find(create, "cufftCreate");
    library.find(destroy, "cufftDestroy");
    library.find(set_auto_allocation, "cufftSetAutoAllocation");
    library.find(make_plan_many, "cufftMakePlanMany64");
    library.find(set_work_area, "cufftSetWorkArea");
    library.find(set_stream, "cufftSetStream");
    library.find(forward, "cufftExecR2C");
    library.find(inverse, "cufftExecC2R");
  }
};

// Transforms of `planes` planes of side x side points, dense on both sides.
class CufftPlan {
 public:
  CufftPlan(long long side, long long planes, int type) : library_(CufftLibrary::instance()) {
    library_.check(library_.create(&plan_), "cufftCreate");
    long long extents[2] = {side, side};
    library_.check(library_.set_auto_allocation(plan_, 0), "cufftSetAutoAllocation");
    library_.check(library_.make_plan_many(plan_, 2, extents, nullptr, 1, 0, nullptr, 1, 0, type, planes,
                                           &workspace_bytes_),
                   "cufftMakePlanMany64");
  }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;
  ~CufftPlan() { library_.destroy(plan_); }

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_bytes_; }
  void bind(void* workspace) { library_.check(library_.set_work_area(plan_, workspace), "cufftSetWorkArea"); }

  void forward(const float* x, void* frequencies, void* stream) {
    prepare(stream);
    library_.check(library_.forward(plan_, const_cast<float*>(x), frequencies), "cufftExecR2C");
  }
  // Overwrites the frequencies.
  void inverse(void* frequencies, float* y, void* stream) {
    prepare(stream);
    library_.check(library_.inverse(plan_, frequencies, y), "cufftExecC2R");
  }

 private:
  void prepare(void* stream) { library_.check(library_.set_stream(plan_, stream), "cufftSetStream"); }

  const CufftLibrary& library_;
  CufftLibrary::Plan plan_ = 0;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace operators::spectral
