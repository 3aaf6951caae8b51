// The library that CUDA loads into a program (CUDA_INJECTION64_PATH) to ask of its kernels: how much does
// the time change when the same instructions lie elsewhere?
//
// It acts at the first launch of a kernel on a grid. It loads the kernel's cubin some times over, each with
// the code shifted otherwise (shift_code.h). It launches each copy with the arguments and the memory of that
// launch, and compares the results to the bit with those of the kernel itself. Then it times all copies in
// turns, and writes a line of JSON.
//
//   HARNESS_ALIGNMENT_OUT: the file to append to. Without it nothing is measured.
//   HARNESS_ALIGNMENT_KERNELS: a regular expression that the kernel's name, as C++ has it, matches somewhere.
//   HARNESS_ALIGNMENT_SHIFTS: numbers of NOPs, each loaded and timed ("0 0 1 2"). "x" is the code as it is.
//   HARNESS_ALIGNMENT_PADDING: 1 loads other modules between the copies, so that distances differ.
//   HARNESS_ALIGNMENT_ROUNDS: how often each copy is timed (12).
//   HARNESS_ALIGNMENT_SEED: of the orders (1).
#include <cuda.h>
#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/code/shift/shift_code.h"

namespace alignment {

using harness::code_bytes;
using harness::shift_code;
namespace {

constexpr double least_us = 5;      // shorter kernels are left out
constexpr double timed_us = 200;    // launches that are timed together
constexpr int fewest_launches = 2;  // of them
constexpr int most_launches = 40;

// A thread for each word: where two differ, it sets the result.
constexpr const char* comparison = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry compare(.param .u64 first, .param .u64 second, .param .u64 words, .param .u64 result) {
  .reg .pred %past, %differs;
  .reg .b32 %block, %threads, %thread, %a, %b;
  .reg .b64 %first, %second, %words, %result, %i, %t;
  ld.param.u64 %words, [words];
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %t, %thread;
  mad.wide.u32 %i, %block, %threads, %t;
  setp.ge.u64 %past, %i, %words;
  @%past ret;
  ld.param.u64 %first, [first];
  ld.param.u64 %second, [second];
  ld.param.u64 %result, [result];
  shl.b64 %i, %i, 2;
  add.u64 %first, %first, %i;
  add.u64 %second, %second, %i;
  ld.global.b32 %a, [%first];
  ld.global.b32 %b, [%second];
  setp.ne.b32 %differs, %a, %b;
  @%differs st.global.b32 [%result], 1;
  ret;
}
)";

constexpr auto pause = std::chrono::microseconds(1500);  // before a sample: full load would lower the clock

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  throw std::runtime_error(std::string(what) + ": " + text);
}

std::string setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char one : text) {
    if (one == '"' || one == '\\') result += '\\';
    result += one == '\n' ? ' ' : one;
  }
  return result + '"';
}

// A launch as the program asked for it. Points into the program's memory while the call lasts.
struct Launch {
  std::string name;
  CUfunction function = nullptr;
  CUlaunchConfig config{};
  void** parameters = nullptr;
  void** extra = nullptr;
};

// Memory that the kernel may change: the allocations that its arguments point into.
struct Range {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  CUdeviceptr copy = 0;
  CUdeviceptr after = 0;  // as the kernel itself leaves it
};

struct Copy {
  std::string shift;  // as the settings have it
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  bool equal = true;
  std::vector<double> us;
};

class Measurement {
 public:
  Measurement(const Launch& launch, const std::string& image) : launch_(launch), image_(image) {}
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  ~Measurement() {
    (void)cuCtxSynchronize();
    put_back();
    for (const Copy& one : copies_)
      if (one.module != nullptr) (void)cuModuleUnload(one.module);
    for (CUmodule one : padding_) (void)cuModuleUnload(one);
    for (const Range& one : ranges_)
      for (const CUdeviceptr memory : {one.copy, one.after})
        if (memory != 0) (void)cuMemFree(memory);
    if (differ_ != 0) (void)cuMemFree(differ_);
    if (comparing_ != nullptr) (void)cuModuleUnload(comparing_);
    if (begin_ != nullptr) (void)cuEventDestroy(begin_);
    if (end_ != nullptr) (void)cuEventDestroy(end_);
  }

  std::string run() {
    check(cuCtxSynchronize(), "before");
    check(cuEventCreate(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
    check(cuEventCreate(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
    check(cuMemAlloc(&differ_, sizeof(unsigned)), "cuMemAlloc");
    check(cuModuleLoadData(&comparing_, comparison), "the comparison");
    check(cuModuleGetFunction(&compare_, comparing_, "compare"), "the comparison");
    find_memory();
    save();
    const double us = first_look();
    if (us < least_us) return "";
    load();
    compare();
    time(us);
    return report(us);
  }

 private:
  void start(CUfunction function) {
    check(cuLaunchKernelEx(&launch_.config, function, launch_.parameters, launch_.extra), "cuLaunchKernelEx");
  }

  void find_memory() {
    std::set<CUdeviceptr> known;
    for (std::size_t i = 0;; ++i) {
      std::size_t offset = 0;
      std::size_t bytes = 0;
      if (cuFuncGetParamInfo(launch_.function, i, &offset, &bytes) != CUDA_SUCCESS) break;
      if (launch_.parameters == nullptr) throw std::runtime_error("arguments in one buffer are not read");
      for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= bytes; at += sizeof(CUdeviceptr)) {
        CUdeviceptr word = 0;
        std::memcpy(&word, static_cast<const char*>(launch_.parameters[i]) + at, sizeof word);
        unsigned type = 0;
        if (word < 4096 ||
            cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) != CUDA_SUCCESS ||
            type != CU_MEMORYTYPE_DEVICE)
          continue;
        Range range;
        check(cuMemGetAddressRange(&range.begin, &range.bytes, word), "cuMemGetAddressRange");
        if (known.insert(range.begin).second) ranges_.push_back(range);
      }
    }
  }
  void save() {
    for (Range& one : ranges_) {
      check(cuMemAlloc(&one.copy, one.bytes), "memory for a copy");
      check(cuMemcpyDtoD(one.copy, one.begin, one.bytes), "cuMemcpyDtoD");
    }
    wait_for_copies();
  }
  // Copies inside of the GPU go on when the call returns, and a launch in another stream overtakes them.
  static void wait_for_copies() { check(cuCtxSynchronize(), "cuMemcpyDtoD"); }
  // Memory that is not saved yet stays.
  CUresult put_back() {
    for (const Range& one : ranges_)
      if (one.copy != 0)
        if (const CUresult code = cuMemcpyDtoD(one.begin, one.copy, one.bytes); code != CUDA_SUCCESS)
          return code;
    return cuCtxSynchronize();
  }
  // Whether two places of the GPU hold the same bytes.
  bool equal(CUdeviceptr a, CUdeviceptr b, std::size_t bytes) {
    constexpr std::size_t word = 4;
    constexpr unsigned threads = 256;
    std::size_t words = bytes / word;
    if (words > 0) {
      check(cuMemsetD32(differ_, 0, 1), "cuMemsetD32");
      std::array<void*, 4> arguments{&a, &b, &words, &differ_};
      const std::size_t blocks = (words + threads - 1) / threads;
      check(cuLaunchKernel(compare_, static_cast<unsigned>(blocks), 1, 1, threads, 1, 1, 0, nullptr,
                           arguments.data(), nullptr),
            "comparing");
      unsigned differ = 0;
      check(cuMemcpyDtoH(&differ, differ_, sizeof differ), "comparing");
      if (differ != 0) return false;
    }
    std::array<char, 2 * word> ends{};
    const std::size_t left = bytes % word;
    if (left == 0) return true;
    check(cuMemcpyDtoH(ends.data(), a + bytes - left, left), "comparing");
    check(cuMemcpyDtoH(ends.data() + word, b + bytes - left, left), "comparing");
    return std::equal(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(left), ends.begin() + word);
  }

  // The kernel itself: its results, and roughly how long it takes.
  double first_look() {
    start(launch_.function);
    check(cuCtxSynchronize(), "the kernel itself");
    for (Range& one : ranges_) {
      check(cuMemAlloc(&one.after, one.bytes), "memory for a copy");
      check(cuMemcpyDtoD(one.after, one.begin, one.bytes), "cuMemcpyDtoD");
    }
    wait_for_copies();
    start(launch_.function);
    return timed(launch_.function, fewest_launches);
  }

  double timed(CUfunction function, int launches) {
    check(cuEventRecord(begin_, launch_.config.hStream), "cuEventRecord");
    for (int i = 0; i < launches; ++i) start(function);
    check(cuEventRecord(end_, launch_.config.hStream), "cuEventRecord");
    check(cuEventSynchronize(end_), "cuEventSynchronize");
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin_, end_), "cuEventElapsedTime");
    return 1e3 * milliseconds / launches;
  }

  // Loaded in a random order. Modules for padding stay, so that no two copies lie in one place.
  void load() {
    std::istringstream shifts(
        setting("HARNESS_ALIGNMENT_SHIFTS", "x 0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"));
    const bool padding = setting("HARNESS_ALIGNMENT_PADDING", "") == "1";
    for (std::string one; shifts >> one;) {
      copies_.emplace_back().shift = one;
      if (one != "x") room_ = std::max<std::size_t>(room_, std::stoul(one));
    }
    std::vector<std::size_t> order = shuffled();
    for (const std::size_t i : order) {
      for (unsigned pads = padding ? random_() % 8 : 0; pads > 0; --pads) {
        const std::string image = shift_code(image_, launch_.name, {0, 8 + random_() % 2000});
        CUmodule module = nullptr;
        check(cuModuleLoadData(&module, image.data()), "padding");
        padding_.push_back(module);
        CUfunction function = nullptr;
        check(cuModuleGetFunction(&function, module, launch_.name.c_str()), "padding");
        int local = 0;
        check(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function), "padding");
      }
      Copy& copy = copies_[i];
      const std::string image =
          copy.shift == "x" ? image_ : shift_code(image_, launch_.name, {std::stoul(copy.shift), room_});
      check(cuModuleLoadData(&copy.module, image.data()), "cuModuleLoadData of shifted code");
      check(cuModuleGetFunction(&copy.function, copy.module, launch_.name.c_str()), "cuModuleGetFunction");
      copy_attributes(copy.function);
    }
  }
  void copy_attributes(CUfunction to) {
    for (const CUfunction_attribute one :
         {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
          CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
          CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE}) {
      int wanted = 0;
      int there = 0;
      check(cuFuncGetAttribute(&wanted, one, launch_.function), "cuFuncGetAttribute");
      check(cuFuncGetAttribute(&there, one, to), "cuFuncGetAttribute");
      if (wanted != there) check(cuFuncSetAttribute(to, one, wanted), "cuFuncSetAttribute");
    }
  }

  void compare() {
    repeatable_ = same(launch_.function);
    for (Copy& one : copies_) one.equal = same(one.function);
    // A comparison of memory that nobody writes would prove nothing.
    for (const Range& one : ranges_) changed_ = changed_ || !equal(one.copy, one.after, one.bytes);
  }
  bool same(CUfunction function) {
    check(put_back(), "cuMemcpyDtoD");
    start(function);
    check(cuCtxSynchronize(), "shifted code");
    return std::all_of(ranges_.begin(), ranges_.end(),
                       [&](const Range& one) { return equal(one.begin, one.after, one.bytes); });
  }

  void time(double us) {
    const int rounds = std::stoi(setting("HARNESS_ALIGNMENT_ROUNDS", "12"));
    launches_ = std::clamp(static_cast<int>(timed_us / us), fewest_launches, most_launches);
    for (Copy& one : copies_) start(one.function);
    check(cuCtxSynchronize(), "shifted code");
    for (int round = 0; round < rounds; ++round)
      for (const std::size_t i : shuffled()) {
        std::this_thread::sleep_for(pause);
        start(copies_[i].function);
        copies_[i].us.push_back(timed(copies_[i].function, launches_));
      }
  }

  std::vector<std::size_t> shuffled() {
    std::vector<std::size_t> order(copies_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  std::string report(double us) const {
    std::ostringstream line;
    line.precision(9);
    int registers = 0;
    check(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, launch_.function), "cuFuncGetAttribute");
    const CUlaunchConfig& at = launch_.config;
    line << "{\"kernel\": " << quoted(demangled(launch_.name)) << ", \"grid\": [" << at.gridDimX << ", "
         << at.gridDimY << ", " << at.gridDimZ << "], \"block\": [" << at.blockDimX << ", " << at.blockDimY
         << ", " << at.blockDimZ << "], \"registers\": " << registers
         << ", \"code_bytes\": " << code_bytes(image_, launch_.name) << ", \"us\": " << us
         << ", \"launches\": " << launches_ << ", \"repeatable\": " << (repeatable_ ? "true" : "false")
         << ", \"changed\": " << (changed_ ? "true" : "false") << ", \"copies\": [";
    for (const Copy& one : copies_) {
      line << (&one == &copies_.front() ? "" : ", ") << "{\"shift\": " << quoted(one.shift)
           << ", \"equal\": " << (one.equal ? "true" : "false") << ", \"us\": [";
      for (std::size_t i = 0; i < one.us.size(); ++i) line << (i == 0 ? "" : ", ") << one.us[i];
      line << "]}";
    }
    line << "]}";
    return line.str();
  }

  Launch launch_;
  const std::string& image_;
  std::vector<Range> ranges_;
  std::vector<Copy> copies_;
  std::vector<CUmodule> padding_;
  std::size_t room_ = 0;
  int launches_ = 0;
  bool repeatable_ = false;
  bool changed_ = false;
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
  CUmodule comparing_ = nullptr;
  CUfunction compare_ = nullptr;
  CUdeviceptr differ_ = 0;
  std::mt19937 random_{static_cast<unsigned>(std::stoul(setting("HARNESS_ALIGNMENT_SEED", "1")))};
};

// This thread measures: its launches and modules are not the program's.
thread_local bool busy = false;

class Watch {
 public:
  static Watch& shared() {
    static Watch watch;
    return watch;
  }

  void attach() {
    if (out_.empty()) return;
    if (cuptiSubscribe(&subscriber_, &Watch::called, this) != CUPTI_SUCCESS) {
      std::fputs("alignment: another profiler holds CUPTI in this process\n", stderr);
      return;
    }
    (void)cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    for (const CUpti_CallbackId id :
         {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
          CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz})
      (void)cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id);
  }

 private:
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                              const void* data) {
    auto& watch = *static_cast<Watch*>(self);
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      const auto* resource = static_cast<const CUpti_ResourceData*>(data);
      const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
      if (module != nullptr && module->pCubin != nullptr)
        watch.add_image({module->pCubin, module->cubinSize});
      return;
    }
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite == CUPTI_API_ENTER && call.symbolName != nullptr) watch.launched(id, call);
  }

  // Copies that are loaded here are no images of the program.
  void add_image(std::string_view image) {
    if (busy) return;
    const std::lock_guard lock(mutex_);
    images_.emplace_back(image);
  }

  void launched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    if (busy) return;
    Launch launch;
    launch.name = call.symbolName;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz) {
      const auto& from = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
      launch.function = from.f;
      launch.config = {from.gridDimX,  from.gridDimY,       from.gridDimZ, from.blockDimX, from.blockDimY,
                       from.blockDimZ, from.sharedMemBytes, from.hStream,  nullptr,        0};
      launch.parameters = from.kernelParams;
      launch.extra = from.extra;
    } else {
      const auto& from = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams);
      launch.function = from.f;
      launch.config = *from.config;
      launch.parameters = from.kernelParams;
      launch.extra = from.extra;
    }
    const std::lock_guard lock(measuring_);
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    if (cuStreamIsCapturing(launch.config.hStream, &capturing) != CUDA_SUCCESS ||
        capturing != CU_STREAM_CAPTURE_STATUS_NONE)
      return;
    const std::string name = demangled(launch.name);
    if (!std::regex_search(name, kernels_) || !is_new(launch)) return;
    // The driver may load the kernel only now, and tell of its image.
    launch.function = function_of(launch.function);
    busy = true;
    try {
      const std::string* image = image_of(launch.name);
      if (image == nullptr) throw std::runtime_error("its image was not seen");
      if (const std::string line = Measurement(launch, *image).run(); !line.empty())
        std::ofstream(out_, std::ios::app) << line + "\n";
    } catch (const std::exception& error) {
      std::fprintf(stderr, "alignment: %s: %s\n", name.c_str(), error.what());
    }
    busy = false;
  }

  // A kernel on a grid, once a process.
  bool is_new(const Launch& launch) {
    const CUlaunchConfig& at = launch.config;
    std::ostringstream key;
    key << launch.name << ' ' << at.gridDimX << ' ' << at.gridDimY << ' ' << at.gridDimZ << ' '
        << at.blockDimX << ' ' << at.sharedMemBytes;
    return seen_.insert(key.str()).second;
  }

  static CUfunction function_of(CUfunction handle) {
    int value = 0;
    if (cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, handle) == CUDA_SUCCESS) return handle;
    CUfunction function = nullptr;
    check(cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(handle)), "cuKernelGetFunction");
    return function;
  }

  const std::string* image_of(const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    for (const std::string& one : images_)
      if (code_bytes(one, kernel) > 0) return &one;
    return nullptr;
  }

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::string out_ = setting("HARNESS_ALIGNMENT_OUT", "");
  std::regex kernels_{setting("HARNESS_ALIGNMENT_KERNELS", ".")};
  std::mutex mutex_;
  std::vector<std::string> images_;
  std::mutex measuring_;
  std::set<std::string> seen_;
};

}  // namespace
}  // namespace alignment

// Called while CUDA is initialised, before any context.
// NOLINTNEXTLINE(readability-identifier-naming): CUDA calls it by this name
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    alignment::Watch::shared().attach();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "alignment: %s\n", error.what());
    return 0;
  }
  return 1;
}
