// sparse_gemm/cusparselt: NVIDIA's own library. Its compressed form of W is its secret and follows from W's
// values, so that it is made in the timed call: weights must be dense.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/sdk/registry.h"
#include "kernels/fastest.cuh"
#include "kernels/sparse_gemm/cusparselt_library.h"
#include "kernels/sparse_gemm/sparse_gemm.h"

namespace sparse_gemm {
namespace {

using harness::sdk::Unsupported;
using Library = CusparseLtLibrary;

// An object of the library, which is destroyed once it has been made.
struct Destroy {
  int (*function)(const Library::Object*) = nullptr;
  void operator()(Library::Object* object) const {
    if (function != nullptr) function(object);
    delete object;
  }
};
using Owned = std::unique_ptr<Library::Object, Destroy>;

// An algorithm of the library for the product, and its plan.
class Algorithm {
 public:
  // Without a number it is the library's default. Throws where the library refuses.
  Algorithm(const Library& library, const Library::Object& handle, const Library::Object& product,
            std::optional<int> number)
      : number_(number) {
    Library::check(library.select_algorithm(&handle, selection_.get(), &product, Library::default_algorithm),
                   "cusparseLtMatmulAlgSelectionInit");
    selection_.get_deleter().function = library.destroy_selection;
    if (number)
      Library::check(library.set_algorithm(&handle, selection_.get(), Library::algorithm_number, &*number,
                                           sizeof *number),
                     "cusparseLtMatmulAlgSetAttribute");
    Library::check(library.make_plan(&handle, plan_.get(), &product, selection_.get()),
                   "cusparseLtMatmulPlanInit");
    plan_.get_deleter().function = library.destroy_plan;
  }

  [[nodiscard]] const Library::Object* plan() const { return plan_.get(); }
  [[nodiscard]] const Library::Object* selection() const { return selection_.get(); }
  [[nodiscard]] std::optional<int> number() const { return number_; }
  [[nodiscard]] std::string name() const { return number_ ? std::to_string(*number_) : "default"; }

 private:
  std::optional<int> number_;
  Owned selection_{new Library::Object};
  Owned plan_{new Library::Object};
};

// Bytes that an algorithm needs.
struct Needs {
  std::size_t compressed = 0;  // W
  std::size_t compressing = 0;
  std::size_t multiplying = 0;

  [[nodiscard]] bool within(const Needs& other) const {
    return compressed <= other.compressed && compressing <= other.compressing &&
           multiplying <= other.multiplying;
  }
};

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
    version_ = "cusparselt " + std::to_string(version) + " ";
    describe();
    algorithm_ = algorithm({});
    reserved_ = needs_of(*algorithm_);
    reserved_ = {padded(reserved_.compressed), padded(reserved_.compressing),
                 std::max(usual_bytes, padded(reserved_.multiplying))};
  }
  ~CusparseLt() override {
    algorithm_.reset();
    for (const Library::Object* matrix : {&w_matrix_, &x_matrix_, &y_matrix_})
      library_.destroy_matrix(matrix);
    library_.destroy(&handle_);
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return reserved_.compressed + reserved_.compressing + reserved_.multiplying;
  }

  // Makes a plan for these addresses. With a plan that had multiplied in other buffers, audits on an H200
  // found the product of an older W (0.8.0, 4096^3, nvjet_hsh_128x256_64x5_2x1_h_bx_coopA_sp_TNT).
  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    compressed_ = static_cast<unsigned char*>(buffers.workspace);
    algorithm_ = algorithm(algorithm_->number());
  }

  // The library's own search ends the process at some shapes (0.8.0), and what it finds cannot be chosen
  // again. So whole calls are timed here, compressing included.
  std::string choose(const harness::sdk::Buffers& buffers) override {
    constexpr int rounds = 7;
    bind(buffers);
    int largest = 0;
    Library::check(library_.get_algorithm(&handle_, algorithm_->selection(), Library::largest_number,
                                          &largest, sizeof largest),
                   "cusparseLtMatmulAlgGetAttribute");
    std::vector<std::unique_ptr<Algorithm>> candidates;
    candidates.push_back(algorithm({}));
    for (int number = 0; number <= largest; ++number)
      if (std::unique_ptr<Algorithm> one = usable(number); one != nullptr && enqueue(*one, nullptr) == 0)
        candidates.push_back(std::move(one));
    const std::size_t chosen =
        kernels::fastest_of(candidates.size(), rounds, [&](std::size_t index, cudaStream_t stream) {
          Library::check(enqueue(*candidates[index], stream), "a call of cuSPARSELt");
        });
    algorithm_ = std::move(candidates[chosen]);
    return version_ + algorithm_->name();
  }

  bool take_choice(const std::string& choice) override {
    if (choice.compare(0, version_.size(), version_) != 0) return false;
    const std::string name = choice.substr(version_.size());
    if (name == algorithm_->name()) return true;
    std::istringstream text(name);
    int number = 0;
    if (!(text >> number)) return false;
    std::unique_ptr<Algorithm> taken = usable(number);
    if (taken == nullptr) return false;
    algorithm_ = std::move(taken);
    return true;
  }

  void run(harness::sdk::Stream stream) override {
    Library::check(enqueue(*algorithm_, stream.handle), "a call of cuSPARSELt");
  }

 private:
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

  [[nodiscard]] std::unique_ptr<Algorithm> algorithm(std::optional<int> number) const {
    return std::make_unique<Algorithm>(library_, handle_, product_, number);
  }
  [[nodiscard]] Needs needs_of(const Algorithm& algorithm) const {
    Needs needs;
    Library::check(library_.workspace_size(&handle_, algorithm.plan(), &needs.multiplying),
                   "cusparseLtMatmulGetWorkspace");
    Library::check(
        library_.compressed_size(&handle_, algorithm.plan(), &needs.compressed, &needs.compressing),
        "cusparseLtSpMMACompressedSize");
    return needs;
  }
  // Null where the library refuses the algorithm or it needs more memory than the default.
  [[nodiscard]] std::unique_ptr<Algorithm> usable(int number) const {
    try {
      std::unique_ptr<Algorithm> one = algorithm(number);
      if (needs_of(*one).within(reserved_)) return one;
    } catch (const std::exception&) {
    }
    return nullptr;
  }

  // The status of compressing W and multiplying.
  [[nodiscard]] int enqueue(const Algorithm& algorithm, Library::Stream queue) const {
    unsigned char* const buffer = compressed_ + reserved_.compressed;
    const int status = library_.compress(&handle_, algorithm.plan(), w_, compressed_, buffer, queue);
    if (status != 0) return status;
    return library_.multiply(&handle_, algorithm.plan(), &one, compressed_, x_, &zero, y_, y_,
                             buffer + reserved_.compressing, &queue, 1);
  }

  static constexpr float one = 1.0F;
  static constexpr float zero = 0.0F;

  Shape shape_;
  const Library& library_;
  std::string version_;
  Library::Object handle_;
  Library::Object w_matrix_;
  Library::Object x_matrix_;
  Library::Object y_matrix_;
  Library::Object product_;
  std::unique_ptr<Algorithm> algorithm_;
  Needs reserved_;
  const void* x_ = nullptr;
  const void* w_ = nullptr;
  void* y_ = nullptr;
  unsigned char* compressed_ = nullptr;
};

}  // namespace
}  // namespace sparse_gemm

HARNESS_VARIANT(sparse_gemm, cusparselt, cuda,
                "the fastest algorithm of cuSPARSELt; W compressed in the call", sparse_gemm::CusparseLt)
