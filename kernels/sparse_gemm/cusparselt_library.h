// CusparseLtLibrary: NVIDIA's library of products with 2:4 sparse matrices, loaded when it is asked for, so
// that the module neither links it nor needs it to be installed. The few names of its C API that are used
// here are declared here, after the documentation of cuSPARSELt 0.7 to 0.10: plain host code that needs no
// toolkit. It lives as long as the process; threads may share it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/loaded_library.h"

namespace sparse_gemm {

class CusparseLtLibrary {
 public:
  // An object of the library, in memory of the caller: 512 bytes, or up to 11,024 in older versions.
  struct alignas(16) Object {
    unsigned char bytes[16384] = {};
  };
  // Values of the library's enumerations; orders and operations have cuSPARSE's values.
  static constexpr int half_precision = 2;  // cudaDataType
  static constexpr int order_columns = 1;
  static constexpr int not_transposed = 0;
  static constexpr int transposed = 1;
  static constexpr int half_are_zero = 0;  // the only sparsity
  static constexpr int compute_f32 = 2;    // since 0.7
  static constexpr int default_algorithm = 0;
  // Attributes of an algorithm; each is an int.
  static constexpr int algorithm_number = 0;
  static constexpr int largest_number = 1;
  static constexpr int oldest_version = 700;
  // Statuses that tell of a shape or a device.
  static constexpr int invalid_value = 3;
  static constexpr int architecture_mismatch = 4;
  static constexpr int not_supported = 10;

  // The process's copy. Throws Unsupported with the reason where there is none.
  static const CusparseLtLibrary& instance() {
    static const CusparseLtLibrary library(kernels::LoadedLibrary::candidates(library_name()));
    return library;
  }

  // The first of `files` that loads.
  explicit CusparseLtLibrary(const std::vector<std::string>& files) {
    const kernels::LoadedLibrary library(library_name(), files);
    library.find(init, "cusparseLtInit");
    library.find(version, "cusparseLtGetVersion");
    library.find(destroy, "cusparseLtDestroy");
    library.find(describe_dense, "cusparseLtDenseDescriptorInit");
    library.find(describe_sparse, "cusparseLtStructuredDescriptorInit");
    library.find(destroy_matrix, "cusparseLtMatDescriptorDestroy");
    library.find(describe_product, "cusparseLtMatmulDescriptorInit");
    library.find(select_algorithm, "cusparseLtMatmulAlgSelectionInit");
    library.find(set_algorithm, "cusparseLtMatmulAlgSetAttribute");
    library.find(get_algorithm, "cusparseLtMatmulAlgGetAttribute");
    library.find(make_plan, "cusparseLtMatmulPlanInit");
    library.find(destroy_plan, "cusparseLtMatmulPlanDestroy");
    library.find(workspace_size, "cusparseLtMatmulGetWorkspace");
    library.find(compressed_size, "cusparseLtSpMMACompressedSize");
    library.find(compress, "cusparseLtSpMMACompress");
    library.find(multiply, "cusparseLtMatmul");
    library.find_new(destroy_selection, "cusparseLtMatmulAlgSelectionDestroy");
  }

  // Throws Unsupported where the shape or the device is at fault.
  static void check(int status, const char* call) {
    if (status == 0) return;
    const std::string text = std::string(call) + ": cusparseStatus_t " + std::to_string(status);
    if (status == invalid_value || status == architecture_mismatch || status == not_supported)
      throw harness::sdk::Unsupported("cuSPARSELt does not take this shape on this device (" + text + ")");
    throw std::runtime_error(text);
  }

  using Stream = void*;

  int (*init)(Object* handle) = nullptr;
  int (*version)(const Object* handle, int*) = nullptr;
  int (*destroy)(const Object* handle) = nullptr;
  int (*describe_dense)(const Object* handle, Object* matrix, std::int64_t rows, std::int64_t columns,
                        std::int64_t leading, std::uint32_t alignment, int type, int order) = nullptr;
  int (*describe_sparse)(const Object* handle, Object* matrix, std::int64_t rows, std::int64_t columns,
                         std::int64_t leading, std::uint32_t alignment, int type, int order,
                         int sparsity) = nullptr;
  int (*destroy_matrix)(const Object* matrix) = nullptr;
  int (*describe_product)(const Object* handle, Object* product, int operation_a, int operation_b,
                          const Object* a, const Object* b, const Object* c, const Object* d,
                          int compute) = nullptr;
  int (*select_algorithm)(const Object* handle, Object* selection, const Object* product,
                          int algorithm) = nullptr;
  int (*set_algorithm)(const Object* handle, Object* selection, int attribute, const void* value,
                       std::size_t size) = nullptr;
  int (*get_algorithm)(const Object* handle, const Object* selection, int attribute, void* value,
                       std::size_t size) = nullptr;
  int (*destroy_selection)(const Object* selection) = nullptr;  // null before 0.8
  int (*make_plan)(const Object* handle, Object* plan, const Object* product,
                   const Object* selection) = nullptr;
  int (*destroy_plan)(const Object* plan) = nullptr;
  int (*workspace_size)(const Object* handle, const Object* plan, std::size_t*) = nullptr;
  int (*compressed_size)(const Object* handle, const Object* plan, std::size_t* compressed,
                         std::size_t* buffer) = nullptr;
  int (*compress)(const Object* handle, const Object* plan, const void* dense, void* compressed, void* buffer,
                  Stream) = nullptr;
  int (*multiply)(const Object* handle, const Object* plan, const void* alpha, const void* a, const void* b,
                  const void* beta, const void* c, void* d, void* workspace, Stream* streams,
                  std::int32_t count) = nullptr;

 private:
  static kernels::LibraryName library_name() {
    return {"cuSPARSELt 0.7 or newer", "HARNESS_CUSPARSELT_PATH", {"libcusparseLt.so.0"}};
  }
};

}  // namespace sparse_gemm
