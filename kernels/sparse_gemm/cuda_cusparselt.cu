// sparse_gemm/cusparselt: NVIDIA's own library. Its compressed form of W is its secret and follows from W's
// values, so that it is made in the timed call: weights must be dense.
#include <algorithm>
#include <sstream>
#include <string>

#include "harness/sdk/registry.h"
#include "kernels/cuda_check.cuh"
#include "kernels/sparse_gemm/cusparselt_library.h"
#include "kernels/sparse_gemm/sparse_gemm.h"

namespace sparse_gemm {
namespace {

using harness::sdk::Unsupported;
using Library = CusparseLtLibrary;

class CusparseLt final : public harness::sdk::Kernel {
 public:
  CusparseLt(const harness::sdk::Params& params, const harness::sdk::Problem&,
             const harness::sdk::DeviceTraits&)
      : shape_(supported(shape_of(params))), library_(Library::instance()) {
    Library::check(library_.init(&handle_), "cusparseLtInit");
    int version = 0;
    Library::check(library_.version(&handle_, &version), "cusparseLtGetVersion");
    if (version < Library::oldest_version)
      throw Unsupported("needs cuSPARSELt 0.7 or newer; this one is " + std::to_string(version));
    version_ = "cusparselt " + std::to_string(version);
    describe();
    plan_default();
    product_bytes_ = std::max(usual_bytes, padded(needed_bytes()));
    Library::check(library_.compressed_size(&handle_, &plan_, &compressed_bytes_, &buffer_bytes_),
                   "cusparseLtSpMMACompressedSize");
  }
  ~CusparseLt() override {
    if (planned_) library_.destroy_plan(&plan_);
    for (const Library::Object* matrix : {&w_matrix_, &x_matrix_, &y_matrix_})
      library_.destroy_matrix(matrix);
    library_.destroy(&handle_);
  }

  // The compressed W, what compressing needs, and what a product needs.
  [[nodiscard]] std::size_t workspace_bytes() const override {
    return padded(compressed_bytes_) + padded(buffer_bytes_) + product_bytes_;
  }

  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    compressed_ = static_cast<unsigned char*>(buffers.workspace);
  }

  // The library's own search times its algorithms on the bound buffers, and has no workspace, as in NVIDIA's
  // example. Its choice counts where it can be made again.
  std::string choose(const harness::sdk::Buffers& buffers) override {
    bind(buffers);
    compress(nullptr);
    Library::check(
        library_.search(&handle_, &plan_, &one, compressed_, x_, &zero, y_, y_, nullptr, nullptr, 0),
        "cusparseLtMatmulSearch");
    kernels::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::string text = version_;
    for (const int attribute : Library::chosen_attributes) {
      int value = 0;
      Library::check(library_.get_algorithm(&handle_, &selection_, attribute, &value, sizeof value),
                     "cusparseLtMatmulAlgGetAttribute");
      text += " " + std::to_string(value);
    }
    plan_default();
    return take_choice(text) ? text : version_ + default_choice;
  }

  // The default stays where the library refuses a choice.
  bool take_choice(const std::string& choice) override {
    if (choice == version_ + default_choice) return true;
    if (choice.compare(0, version_.size() + 1, version_ + " ") != 0) return false;
    std::istringstream values(choice.substr(version_.size()));
    bool taken = true;
    for (const int attribute : Library::chosen_attributes) {
      int value = 0, present = 0;
      taken = taken && values >> value &&
              library_.get_algorithm(&handle_, &selection_, attribute, &present, sizeof present) == 0 &&
              (present == value ||
               library_.set_algorithm(&handle_, &selection_, attribute, &value, sizeof value) == 0);
    }
    try {
      if (taken) plan();
      taken = taken && fits();
    } catch (const std::exception&) {
      taken = false;
    }
    if (!taken) plan_default();
    return taken;
  }

  void run(harness::sdk::Stream stream) override {
    compress(stream.handle);
    Library::Stream queue = stream.handle;
    Library::check(
        library_.multiply(&handle_, &plan_, &one, compressed_, x_, &zero, y_, y_, workspace(), &queue, 1),
        "cusparseLtMatmul");
  }

 private:
  static constexpr float one = 1.0F;
  static constexpr float zero = 0.0F;
  static constexpr const char* default_choice = " default";
  static constexpr std::size_t usual_bytes = std::size_t{32} << 20;

  static std::size_t padded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  static Shape supported(const Shape& shape) {
    if (shape.compressed)
      throw Unsupported("cuSPARSELt compresses W into a form of its own: weights must be dense");
    if (shape.n % 16 != 0 || shape.k % 16 != 0 || shape.m % 8 != 0)
      throw Unsupported("cuSPARSELt needs n and k that are multiples of 16, and m of 8");
    return shape;
  }

  // The library thinks in columns: a row-major matrix is its transpose to it. So it computes Y^T (n x m) =
  // W (n x k) X^T (k x m), with W given as its transpose.
  void describe() {
    const std::int64_t m = shape_.m, n = shape_.n, k = shape_.k;
    constexpr std::uint32_t alignment = 16;
    Library::check(library_.describe_sparse(&handle_, &w_matrix_, k, n, k, alignment, Library::half_precision,
                                            Library::order_columns, Library::half_are_zero),
                   "cusparseLtStructuredDescriptorInit");
    Library::check(library_.describe_dense(&handle_, &x_matrix_, k, m, k, alignment, Library::half_precision,
                                           Library::order_columns),
                   "cusparseLtDenseDescriptorInit");
    Library::check(library_.describe_dense(&handle_, &y_matrix_, n, m, n, alignment, Library::half_precision,
                                           Library::order_columns),
                   "cusparseLtDenseDescriptorInit");
    Library::check(
        library_.describe_product(&handle_, &product_, Library::transposed, Library::not_transposed,
                                  &w_matrix_, &x_matrix_, &y_matrix_, &y_matrix_, Library::compute_f32),
        "cusparseLtMatmulDescriptorInit");
  }

  void plan_default() {
    Library::check(library_.select_algorithm(&handle_, &selection_, &product_, Library::default_algorithm),
                   "cusparseLtMatmulAlgSelectionInit");
    plan();
  }

  // Makes the plan of the selected algorithm.
  void plan() {
    if (planned_) Library::check(library_.destroy_plan(&plan_), "cusparseLtMatmulPlanDestroy");
    planned_ = false;
    plan_ = {};
    Library::check(library_.make_plan(&handle_, &plan_, &product_, &selection_), "cusparseLtMatmulPlanInit");
    planned_ = true;
  }

  [[nodiscard]] std::size_t needed_bytes() const {
    std::size_t needed = 0;
    Library::check(library_.workspace_size(&handle_, &plan_, &needed), "cusparseLtMatmulGetWorkspace");
    return needed;
  }
  [[nodiscard]] bool fits() const { return needed_bytes() <= product_bytes_; }

  void compress(Library::Stream queue) {
    Library::check(
        library_.compress(&handle_, &plan_, w_, compressed_, compressed_ + padded(compressed_bytes_), queue),
        "cusparseLtSpMMACompress");
  }
  [[nodiscard]] void* workspace() const {
    return compressed_ + padded(compressed_bytes_) + padded(buffer_bytes_);
  }

  Shape shape_;
  const Library& library_;
  std::string version_;
  Library::Object handle_;
  Library::Object w_matrix_;
  Library::Object x_matrix_;
  Library::Object y_matrix_;
  Library::Object product_;
  Library::Object selection_;
  Library::Object plan_;
  bool planned_ = false;
  std::size_t product_bytes_ = 0;
  std::size_t compressed_bytes_ = 0;
  std::size_t buffer_bytes_ = 0;
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
  unsigned char* compressed_ = nullptr;
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, cusparselt, cuda,
                "cuSPARSELt, its own choice of algorithm; W compressed in the call", sparse_gemm::CusparseLt)
