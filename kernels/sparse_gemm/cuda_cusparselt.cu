// sparse_gemm/cusparselt: NVIDIA's own library. Its compressed form of W is its secret and follows from W's
// values, so that it is made in the timed call: weights must be dense.
#include <algorithm>
#include <array>
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

// The library's handle and its description of the product.
class Product {
 public:
  Product(const Library& library, const Shape& shape) : library_(library) {
    Library::check(library_.init(&handle_), "cusparseLtInit");
    try {
      describe(shape);
    } catch (...) {
      destroy();
      throw;
    }
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() { destroy(); }

  [[nodiscard]] const Library& library() const { return library_; }
  [[nodiscard]] const Library::Object* handle() const { return &handle_; }
  [[nodiscard]] const Library::Object* description() const { return &product_; }

 private:
  // The library thinks in columns: a row-major matrix is its transpose to it. So it computes Y^T (n x m) =
  // W (n x k) X^T (k x m), with W given as its transpose.
  void describe(const Shape& shape) {
    const std::int64_t m = shape.m, n = shape.n, k = shape.k;
    constexpr std::uint32_t alignment = 16;
    Library::check(
        library_.describe_sparse(&handle_, matrices_.data(), k, n, k, alignment, Library::half_precision,
                                 Library::order_columns, Library::half_are_zero),
        "cusparseLtStructuredDescriptorInit");
    described_ = 1;
    for (const auto& [rows, columns] : {std::pair(k, m), std::pair(n, m)}) {
      Library::check(library_.describe_dense(&handle_, &matrices_[described_], rows, columns, rows, alignment,
                                             Library::half_precision, Library::order_columns),
                     "cusparseLtDenseDescriptorInit");
      ++described_;
    }
    Library::check(library_.describe_product(&handle_, &product_, Library::transposed,
                                             Library::not_transposed, &matrices_[0], &matrices_[1],
                                             &matrices_[2], &matrices_[2], Library::compute_f32),
                   "cusparseLtMatmulDescriptorInit");
  }

  void destroy() {
    for (std::size_t i = 0; i < described_; ++i) library_.destroy_matrix(&matrices_[i]);
    library_.destroy(&handle_);
  }

  const Library& library_;
  Library::Object handle_;
  std::array<Library::Object, 3> matrices_;  // W, X and Y
  std::size_t described_ = 0;
  Library::Object product_;
};

// An algorithm of the library for the product, and its plan.
class Algorithm {
 public:
  // Without a number it is the library's default. Throws where the library refuses.
  Algorithm(std::shared_ptr<const Product> product, std::optional<int> number)
      : product_(std::move(product)), number_(number) {
    const Library& library = product_->library();
    const Library::Object* const handle = product_->handle();
    Library::check(library.select_algorithm(handle, selection_.get(), product_->description(),
                                            Library::default_algorithm),
                   "cusparseLtMatmulAlgSelectionInit");
    selection_.get_deleter().function = library.destroy_selection;
    if (number)
      Library::check(library.set_algorithm(handle, selection_.get(), Library::algorithm_number, &*number,
                                           sizeof *number),
                     "cusparseLtMatmulAlgSetAttribute");
    Library::check(library.make_plan(handle, plan_.get(), product_->description(), selection_.get()),
                   "cusparseLtMatmulPlanInit");
    plan_.get_deleter().function = library.destroy_plan;
  }

  [[nodiscard]] const Library::Object* handle() const { return product_->handle(); }
  [[nodiscard]] const Library::Object* plan() const { return plan_.get(); }
  [[nodiscard]] const Library::Object* selection() const { return selection_.get(); }
  [[nodiscard]] std::optional<int> number() const { return number_; }
  [[nodiscard]] std::string name() const { return number_ ? std::to_string(*number_) : "default"; }

 private:
  std::shared_ptr<const Product> product_;  // destroyed last
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
    product_ = std::make_shared<const Product>(library_, shape_);
    int version = 0;
    Library::check(library_.version(product_->handle(), &version), "cusparseLtGetVersion");
    if (version < Library::oldest_version)
      throw Unsupported("needs cuSPARSELt 0.7 or newer; this one is " + std::to_string(version));
    version_ = "cusparselt " + std::to_string(version) + " ";
    algorithm_ = algorithm({});
    reserved_ = needs_of(*algorithm_);
    reserved_ = {padded(reserved_.compressed), padded(reserved_.compressing),
                 std::max(usual_bytes, padded(reserved_.multiplying))};
  }

  [[nodiscard]] std::size_t workspace_bytes() const override {
    return reserved_.compressed + reserved_.compressing + reserved_.multiplying;
  }

  // Makes a handle and a plan for these addresses. With a plan that had multiplied in other buffers, audits
  // on an H200 found the product of an older W (0.8.0, 4096^3, nvjet_hsh_128x256_64x5_2x1_h_bx_coopA_sp_TNT).
  // With a new plan of an old handle, two builds in one process ended with an illegal address on an H100
  // (8192^3).
  void bind(const harness::sdk::Buffers& buffers) override {
    x_ = buffers.as<void>(x_index);
    w_ = buffers.as<void>(w_index);
    y_ = buffers.as<void>(y_index);
    compressed_ = static_cast<unsigned char*>(buffers.workspace);
    product_ = std::make_shared<const Product>(library_, shape_);
    algorithm_ = algorithm(algorithm_->number());
  }

  // The library's own search ends the process at some shapes (0.8.0), and what it finds cannot be chosen
  // again. So whole calls are timed here, compressing included.
  std::string choose(const harness::sdk::Buffers& buffers) override {
    constexpr int rounds = 7;
    bind(buffers);
    int largest = 0;
    Library::check(library_.get_algorithm(algorithm_->handle(), algorithm_->selection(),
                                          Library::largest_number, &largest, sizeof largest),
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

  [[nodiscard]] std::unique_ptr<Algorithm> algorithm(std::optional<int> number) const {
    return std::make_unique<Algorithm>(product_, number);
  }
  [[nodiscard]] Needs needs_of(const Algorithm& algorithm) const {
    Needs needs;
    Library::check(library_.workspace_size(algorithm.handle(), algorithm.plan(), &needs.multiplying),
                   "cusparseLtMatmulGetWorkspace");
    Library::check(
        library_.compressed_size(algorithm.handle(), algorithm.plan(), &needs.compressed, &needs.compressing),
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
    const int status =
        library_.compress(algorithm.handle(), algorithm.plan(), w_, compressed_, buffer, queue);
    if (status != 0) return status;
    return library_.multiply(algorithm.handle(), algorithm.plan(), &one, compressed_, x_, &zero, y_, y_,
                             buffer + reserved_.compressing, &queue, 1);
  }

  static constexpr float one = 1.0F;
  static constexpr float zero = 0.0F;

  Shape shape_;
  const Library& library_;
  std::string version_;
  std::shared_ptr<const Product> product_;
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
