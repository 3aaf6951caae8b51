// Library: cuDNN 9, loaded when it is asked for, so that the module neither links it nor needs it to be
// installed; and Descriptor, one object of its backend API. The few names of that C API that are used here
// are declared here, so this is plain host code that needs no CUDA toolkit. cuda_cudnn_sdpa.cu compares the
// values with the library's own header where there is one. A Library lives as long as the process; a
// Descriptor belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/loaded_library.h"

namespace attention::cudnn {

using Status = int;
using RawDescriptor = void*;

enum class DataType : int { f32 = 0, f16 = 2, i32 = 4, bf16 = 9, boolean = 11 };
enum class Pointwise : int {
  add = 0,
  mul = 1,
  div = 6,
  sub = 9,
  exp = 13,
  log = 15,
  greater = 302,
  greater_or_equal = 303,
  index = 501,
  select = 601
};
enum class Reduction : int { add = 0, max = 3 };
enum class Heuristic : int { fallback = 2, best = 3 };

enum class Kind : int {
  pointwise = 0,
  convolution = 1,
  engine_configuration = 3,
  heuristics = 4,
  plan = 5,
  convolution_operation = 10,
  pointwise_operation = 13,
  graph = 15,
  variant_pack = 16,
  tensor = 17,
  matmul = 18,
  matmul_operation = 19,
  reduction = 21,
  reduction_operation = 22,
  device_properties = 38
};

enum class Type : int {
  handle = 0,
  data_type = 1,
  boolean = 2,
  integer = 3,
  real = 4,
  pointer = 6,
  convolution = 7,
  heuristic = 8,
  pointwise = 14,
  descriptor = 15,
  reduction = 18,
  text = 24
};

enum class Attribute : int {
  pointwise_mode = 0,
  pointwise_precision = 1,
  pointwise_axis = 9,
  convolution_precision = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_post_paddings = 104,
  convolution_pre_paddings = 105,
  convolution_dimensions = 106,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  heuristics_device = 204,
  plan_handle = 400,
  plan_configuration = 401,
  plan_workspace = 402,
  plan_device = 407,
  operation_convolution_alpha = 700,
  operation_convolution_beta = 701,
  operation_convolution = 702,
  operation_convolution_w = 703,
  operation_convolution_x = 704,
  operation_convolution_y = 705,
  operation_pointwise = 750,
  operation_pointwise_x = 751,
  operation_pointwise_b = 752,
  operation_pointwise_y = 753,
  operation_pointwise_t = 758,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_extents = 902,
  tensor_strides = 903,
  tensor_id = 906,
  tensor_is_virtual = 907,
  tensor_is_by_value = 908,
  pack_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  matmul_precision = 1500,
  operation_matmul_a = 1520,
  operation_matmul_b = 1521,
  operation_matmul_c = 1522,
  operation_matmul = 1523,
  reduction_operator = 1600,
  reduction_precision = 1601,
  operation_reduction_x = 1610,
  operation_reduction_y = 1611,
  operation_reduction = 1612,
  device_json = 2702
};

class Library {
 public:
  // The process's copy. Throws Unsupported with the reason where there is none.
  static const Library& instance() {
    static const Library library(kernels::LoadedLibrary::candidates(library_name()));
    return library;
  }

  // The first of `files` that loads.
  explicit Library(const std::vector<std::string>& files) {
    const kernels::LoadedLibrary library(library_name(), files);
    library.find(get_version, "cudnnGetVersion");
    library.find(error_string, "cudnnGetErrorString");
    library.find(last_error, "cudnnGetLastErrorString");
    library.find(create, "cudnnCreate");
    library.find(destroy, "cudnnDestroy");
    library.find(set_stream, "cudnnSetStream");
    library.find(create_descriptor, "cudnnBackendCreateDescriptor");
    library.find(destroy_descriptor, "cudnnBackendDestroyDescriptor");
    library.find(finalize, "cudnnBackendFinalize");
    library.find(set_attribute, "cudnnBackendSetAttribute");
    library.find(get_attribute, "cudnnBackendGetAttribute");
    library.find(execute, "cudnnBackendExecute");
  }

  // Throws Unsupported for what the library says it does not support, std::runtime_error otherwise.
  void check(Status status, const char* call) const {
    if (status == 0) return;
    std::string text = std::string("cuDNN ") + version() + ", " + call + ": " + error_string(status);
    if (const std::string details = last_error_text(); !details.empty()) text += " (" + details + ")";
    constexpr int not_supported = 3000;
    if (status / 1000 * 1000 == not_supported) throw harness::sdk::Unsupported(text);
    throw std::runtime_error(text);
  }

  [[nodiscard]] std::string last_error_text() const {
    char text[512] = {};
    last_error(text, sizeof text);
    return text;
  }

  [[nodiscard]] std::string version() const {
    const std::size_t number = get_version();
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }

  std::size_t (*get_version)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  void (*last_error)(char*, std::size_t) = nullptr;
  Status (*create)(void** handle) = nullptr;
  Status (*destroy)(void* handle) = nullptr;
  Status (*set_stream)(void* handle, void* stream) = nullptr;
  Status (*create_descriptor)(int kind, RawDescriptor*) = nullptr;
  Status (*destroy_descriptor)(RawDescriptor) = nullptr;
  Status (*finalize)(RawDescriptor) = nullptr;
  Status (*set_attribute)(RawDescriptor, int name, int type, std::int64_t count, const void*) = nullptr;
  Status (*get_attribute)(RawDescriptor, int name, int type, std::int64_t wanted, std::int64_t* count,
                          void*) = nullptr;
  Status (*execute)(void* handle, RawDescriptor plan, RawDescriptor pack) = nullptr;

 private:
  static kernels::LibraryName library_name() { return {"cuDNN 9", "HARNESS_CUDNN_PATH", {"libcudnn.so.9"}}; }
};

class Descriptor {
 public:
  Descriptor(const Library& library, Kind kind) : library_(&library) {
    library.check(library.create_descriptor(static_cast<int>(kind), &raw_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor&& other) noexcept
      : library_(other.library_), raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (raw_ != nullptr) library_->destroy_descriptor(raw_);
  }

  [[nodiscard]] RawDescriptor raw() const { return raw_; }

  void set(Attribute name, Type type, std::int64_t count, const void* values) {
    library_->check(
        library_->set_attribute(raw_, static_cast<int>(name), static_cast<int>(type), count, values),
        ("cudnnBackendSetAttribute of " + std::to_string(static_cast<int>(name))).c_str());
  }
  template <class Value>
  void set(Attribute name, Type type, const Value& value) {
    set(name, type, 1, &value);
  }
  void set(Attribute name, const Descriptor& value) { set(name, Type::descriptor, value.raw_); }
  void set(Attribute name, const std::vector<std::int64_t>& values) {
    set(name, Type::integer, static_cast<std::int64_t>(values.size()), values.data());
  }

  // Returns how many there are; fills at most `wanted`.
  std::int64_t get(Attribute name, Type type, std::int64_t wanted, void* values) const {
    std::int64_t count = 0;
    library_->check(
        library_->get_attribute(raw_, static_cast<int>(name), static_cast<int>(type), wanted, &count, values),
        "cudnnBackendGetAttribute");
    return count;
  }

  void finalize() { library_->check(library_->finalize(raw_), "cudnnBackendFinalize"); }

 private:
  const Library* library_;
  RawDescriptor raw_ = nullptr;
};

}  // namespace attention::cudnn
