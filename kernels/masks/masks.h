// The problem masks, O = softmax(score(scale Q K^T) where mask) V for every batch and head, as every variant
// sees it: its shape, its two expressions and the documents. Q, K, V and O have the shape (b, h, s, d),
// row-major and dense, and one 16-bit element type; scale is 1/sqrt(d). A query that sees no key has zeros.
// Host code; no state.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/sdk/params.h"
#include "kernels/masks/expression_bounds.h"

namespace masks {

// Indices into Problem::tensors and Buffers::tensors.
inline constexpr std::size_t q_index = 0;
inline constexpr std::size_t k_index = 1;
inline constexpr std::size_t v_index = 2;
inline constexpr std::size_t o_index = 3;

struct Shape {
  harness::sdk::DType dtype = harness::sdk::DType::f16;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t sequence = 1;   // queries, and as many keys
  std::int64_t dimension = 1;  // of one head
  std::int64_t documents = 1;
  std::string mask;
  std::string score;

  [[nodiscard]] std::int64_t matrices() const { return batch * heads; }
  [[nodiscard]] std::int64_t elements() const { return matrices() * sequence * dimension; }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(dimension)); }
};

// Reads the parameters of a case; std::out_of_range or std::invalid_argument when they are not those of
// this workload.
inline Shape shape_of(const harness::sdk::Params& params) {
  Shape shape;
  shape.dtype = params.dtype();
  shape.batch = params.integer("b");
  shape.heads = params.integer("h");
  shape.sequence = params.integer("s");
  shape.dimension = params.integer("d");
  shape.documents = params.integer("documents");
  shape.mask = params.text("mask");
  shape.score = params.text("score");
  return shape;
}

// The document of each token. The lengths are in the proportion 1 : 3 : 5 : 2 : 4, again and again.
inline std::vector<std::int32_t> documents_of(const Shape& shape) {
  const auto weight = [](std::int64_t document) {
    constexpr std::int64_t weights[] = {1, 3, 5, 2, 4};
    return weights[document % 5];
  };
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < shape.documents; ++i) total += weight(i);
  std::vector<std::int32_t> documents(static_cast<std::size_t>(shape.sequence));
  std::int64_t begin = 0;
  std::int64_t passed = 0;
  for (std::int64_t i = 0; i < shape.documents; ++i) {
    passed += weight(i);
    const std::int64_t end = shape.sequence * passed / total;
    std::fill(documents.begin() + begin, documents.begin() + end, static_cast<std::int32_t>(i));
    begin = end;
  }
  return documents;
}

// The expressions of a case, parsed and checked: std::invalid_argument says what is wrong with them.
class Rules {
 public:
  explicit Rules(const Shape& shape)
      : mask_(Expression::mask(shape.mask)),
        score_(Expression::score(shape.score)),
        documents_(documents_of(shape)),
        domain_{shape.sequence, shape.heads, documents_} {
    check("mask", shape.mask, mask_);
    check("score", shape.score, score_);
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  ~Rules() = default;

  [[nodiscard]] const Expression& mask() const { return mask_; }
  [[nodiscard]] const Expression& score() const { return score_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const std::vector<std::int32_t>& documents() const { return documents_; }

 private:
  void check(const char* kind, const std::string& text, const Expression& expression) const {
    try {
      Bounds(expression, domain_).check();
    } catch (const std::invalid_argument& reason) {
      throw std::invalid_argument(std::string(kind) + " `" + text + "`: " + reason.what());
    }
  }

  Expression mask_;
  Expression score_;
  std::vector<std::int32_t> documents_;
  Domain domain_;
};

}  // namespace masks
