// Forward attention as a graph of cuDNN's operations, and the plan that its heuristics choose for it: the
// product Q K^T, the scale, where causal a mask or two from row and column numbers, a softmax from two
// reductions, and the product with V. Everything between Q, K, V and O is virtual, which is how the library
// recognises the pattern and fuses it. Host code without CUDA; a plan belongs to one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention/attention.h"
#include "kernels/attention/cudnn_library.h"

namespace attention::cudnn {

// Numbers by which a plan's caller names the tensors.
enum TensorId : std::int64_t { q_id = 1, k_id, v_id, o_id, scale_id, masked_id, window_id, first_virtual_id };

// The problem that a graph is built for: a handle, whose device it then is; or the description of a device
// that need not be there.
struct Target {
  void* handle = nullptr;
  const Descriptor* properties = nullptr;
};

class Graph {
 public:
  Graph(const Library& library, const Shape& shape, const Target& target)
      : library_(library),
        shape_(shape),
        type_(shape.dtype == harness::sdk::DType::f16 ? DataType::f16 : DataType::bf16),
        graph_(library, Kind::graph) {
    build();
    if (target.handle != nullptr) graph_.set(Attribute::graph_handle, Type::handle, target.handle);
    std::vector<RawDescriptor> operations;
    for (const Descriptor& operation : operations_) operations.push_back(operation.raw());
    graph_.set(Attribute::graph_operations, Type::descriptor, static_cast<std::int64_t>(operations.size()),
               operations.data());
    graph_.finalize();
  }

  [[nodiscard]] const Descriptor& descriptor() const { return graph_; }

 private:
  using Extents = std::vector<std::int64_t>;
  using Index = std::size_t;  // into tensors_, whose elements move

  void build() {
    const std::int64_t s = shape_.sequence;
    const std::int64_t d = shape_.dimension;
    const std::int64_t h = shape_.heads;
    // Strides of a batch, a head and a row.
    Extents in = {h * s * d, s * d, d}, out = in;
    if (shape_.beside != 0) {
      in = {s * shape_.beside * h * d, d, shape_.beside * h * d};
      out = {s * h * d, d, h * d};
    }
    const Index q = real(q_id, {shape_.batch, h, s, d}, {in[0], in[1], in[2], 1});
    const Index k = real(k_id, {shape_.batch, h, d, s}, {in[0], in[1], 1, in[2]});
    const Index v = real(v_id, {shape_.batch, h, s, d}, {in[0], in[1], in[2], 1});
    const Index o = real(o_id, {shape_.batch, h, s, d}, {out[0], out[1], out[2], 1});

    const Index products = scores(DataType::f32);
    multiply(q, k, products);
    Index last = scores(DataType::f32);
    pointwise(Pointwise::mul, DataType::f32, last, products, scalar(scale_id));
    if (shape_.causal) {
      const Index hidden = scalar(masked_id);
      last = masked(last, hidden, 0);
      if (shape_.window > 0) last = masked(last, hidden, shape_.window);
    }
    multiply(softmax(last), v, o);
  }

  // `hidden` where the key's number is above the query's; or where it is not above it after `window` was
  // added.
  Index masked(Index input, Index hidden, std::int64_t window) {
    const Index rows = scores(DataType::i32);
    const Index columns = scores(DataType::i32);
    const Index seen = scores(DataType::boolean);
    const Index output = scores(DataType::f32);
    number(input, rows, 2);
    number(input, columns, 3);
    if (window == 0) {
      pointwise(Pointwise::greater_or_equal, DataType::boolean, seen, rows, columns);
    } else {
      const Index moved = scores(DataType::i32);
      pointwise(Pointwise::add, DataType::i32, moved, columns, scalar(window_id, DataType::i32));
      pointwise(Pointwise::greater, DataType::boolean, seen, moved, rows);
    }
    pointwise(Pointwise::select, DataType::f32, output, input, hidden, seen);
    return output;
  }

  Index softmax(Index input) {
    const Index top = per_query();
    const Index differences = scores(DataType::f32);
    const Index exponentials = scores(DataType::f32);
    const Index sums = per_query();
    const Index weights = scores(type_);
    const Index logarithms = per_query();
    const Index statistics = per_query();
    reduce(Reduction::max, input, top);
    pointwise(Pointwise::sub, DataType::f32, differences, input, top);
    pointwise(Pointwise::exp, DataType::f32, exponentials, differences);
    reduce(Reduction::add, exponentials, sums);
    // For a backward pass. Nobody reads it here, but without it the pattern is not recognised.
    pointwise(Pointwise::log, DataType::f32, logarithms, sums);
    pointwise(Pointwise::add, DataType::f32, statistics, top, logarithms);
    pointwise(Pointwise::div, DataType::f32, weights, exponentials, sums);
    return weights;
  }

  // Tensors.
  Index add_tensor(std::int64_t id, DataType type, const Extents& extents, const Extents& strides,
                   bool is_virtual, bool is_by_value) {
    Descriptor tensor(library_, Kind::tensor);
    constexpr std::int64_t alignment = 16;
    tensor.set(Attribute::tensor_id, Type::integer, id);
    tensor.set(Attribute::tensor_type, Type::data_type, type);
    tensor.set(Attribute::tensor_extents, extents);
    tensor.set(Attribute::tensor_strides, strides);
    tensor.set(Attribute::tensor_alignment, Type::integer, alignment);
    tensor.set(Attribute::tensor_is_virtual, Type::boolean, is_virtual);
    tensor.set(Attribute::tensor_is_by_value, Type::boolean, is_by_value);
    tensor.finalize();
    tensors_.push_back(std::move(tensor));
    return tensors_.size() - 1;
  }
  Index real(std::int64_t id, const Extents& extents, const Extents& strides) {
    return add_tensor(id, type_, extents, strides, false, false);
  }
  Index scalar(std::int64_t id, DataType type = DataType::f32) {  // in host memory
    return add_tensor(id, type, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true);
  }
  Index scores(DataType type) {
    const std::int64_t s = shape_.sequence;
    return add_tensor(next_id_++, type, {shape_.batch, shape_.heads, s, s},
                      {shape_.heads * s * s, s * s, s, 1}, true, false);
  }
  Index per_query() {
    const std::int64_t s = shape_.sequence;
    return add_tensor(next_id_++, DataType::f32, {shape_.batch, shape_.heads, s, 1},
                      {shape_.heads * s, s, 1, 1}, true, false);
  }

  // Operations.
  void multiply(Index a, Index b, Index c) {
    Descriptor precision(library_, Kind::matmul);
    precision.set(Attribute::matmul_precision, Type::data_type, DataType::f32);
    precision.finalize();
    Descriptor operation(library_, Kind::matmul_operation);
    operation.set(Attribute::operation_matmul_a, tensors_[a]);
    operation.set(Attribute::operation_matmul_b, tensors_[b]);
    operation.set(Attribute::operation_matmul_c, tensors_[c]);
    operation.set(Attribute::operation_matmul, precision);
    add(std::move(operation), std::move(precision));
  }
  void reduce(Reduction reduction, Index x, Index y) {
    Descriptor what(library_, Kind::reduction);
    what.set(Attribute::reduction_operator, Type::reduction, reduction);
    what.set(Attribute::reduction_precision, Type::data_type, DataType::f32);
    what.finalize();
    Descriptor operation(library_, Kind::reduction_operation);
    operation.set(Attribute::operation_reduction_x, tensors_[x]);
    operation.set(Attribute::operation_reduction_y, tensors_[y]);
    operation.set(Attribute::operation_reduction, what);
    add(std::move(operation), std::move(what));
  }
  // y's element number along `axis`.
  void number(Index x, Index y, std::int64_t axis) {
    Descriptor what(library_, Kind::pointwise);
    what.set(Attribute::pointwise_mode, Type::pointwise, Pointwise::index);
    what.set(Attribute::pointwise_precision, Type::data_type, DataType::i32);
    what.set(Attribute::pointwise_axis, Type::integer, axis);
    what.finalize();
    Descriptor operation(library_, Kind::pointwise_operation);
    operation.set(Attribute::operation_pointwise, what);
    operation.set(Attribute::operation_pointwise_x, tensors_[x]);
    operation.set(Attribute::operation_pointwise_y, tensors_[y]);
    add(std::move(operation), std::move(what));
  }
  void pointwise(Pointwise mode, DataType precision, Index y, Index x, std::optional<Index> b = {},
                 std::optional<Index> t = {}) {
    Descriptor what(library_, Kind::pointwise);
    what.set(Attribute::pointwise_mode, Type::pointwise, mode);
    what.set(Attribute::pointwise_precision, Type::data_type, precision);
    what.finalize();
    Descriptor operation(library_, Kind::pointwise_operation);
    operation.set(Attribute::operation_pointwise, what);
    operation.set(Attribute::operation_pointwise_x, tensors_[x]);
    if (b) operation.set(Attribute::operation_pointwise_b, tensors_[*b]);
    if (t) operation.set(Attribute::operation_pointwise_t, tensors_[*t]);
    operation.set(Attribute::operation_pointwise_y, tensors_[y]);
    add(std::move(operation), std::move(what));
  }
  void add(Descriptor operation, Descriptor what) {
    operation.finalize();
    operations_.push_back(std::move(operation));
    parts_.push_back(std::move(what));
  }

  const Library& library_;
  Shape shape_;
  DataType type_;
  std::int64_t next_id_ = first_virtual_id;
  std::vector<Descriptor> tensors_;
  std::vector<Descriptor> parts_;
  std::vector<Descriptor> operations_;
  Descriptor graph_;
};

// The first reason in what the library writes of its last error, several lines with a stack of conditions.
inline std::string first_reason(const std::string& text) {
  constexpr std::string_view label = "Reason: ";
  const std::size_t found = text.find(label);
  const std::size_t begin = found == std::string::npos ? 0 : found + label.size();
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

// The first of the heuristics' configurations that becomes a plan; the fallback list when the best one has
// none. Throws Unsupported when no engine takes the graph, with the library's reason.
class Plan {
 public:
  // `what` is the graph's, in messages.
  Plan(const Library& library, const Descriptor& graph, const Target& target,
       const char* what = "forward attention")
      : plan_(library, Kind::plan) {
    std::string reason;
    for (const Heuristic mode : {Heuristic::best, Heuristic::fallback}) {
      try {
        for (const Descriptor& configuration : configurations(library, graph, target, mode))
          if (finalized(library, configuration, target, reason)) return;
        if (reason.empty()) reason = library.last_error_text();
      } catch (const harness::sdk::Unsupported& unsupported) {
        if (reason.empty()) reason = unsupported.what();
      }
    }
    throw harness::sdk::Unsupported(
        "cuDNN " + library.version() + " has no engine for " + what +
        " of this shape: " + (reason.empty() ? "it does not say why" : first_reason(reason)));
  }

  [[nodiscard]] const Descriptor& descriptor() const { return plan_; }
  [[nodiscard]] std::int64_t workspace_bytes() const { return workspace_bytes_; }

 private:
  bool finalized(const Library& library, const Descriptor& configuration, const Target& target,
                 std::string& reason) {
    try {
      Descriptor plan(library, Kind::plan);
      if (target.handle != nullptr) plan.set(Attribute::plan_handle, Type::handle, target.handle);
      if (target.properties != nullptr) plan.set(Attribute::plan_device, *target.properties);
      plan.set(Attribute::plan_configuration, configuration);
      plan.finalize();
      plan.get(Attribute::plan_workspace, Type::integer, 1, &workspace_bytes_);
      plan_ = std::move(plan);
      return true;
    } catch (const harness::sdk::Unsupported& unsupported) {
      if (reason.empty()) reason = unsupported.what();
      return false;
    }
  }

  // As many as the library offers, best first, at most 16.
  static std::vector<Descriptor> configurations(const Library& library, const Descriptor& graph,
                                                const Target& target, Heuristic mode) {
    constexpr std::int64_t most = 16;
    Descriptor heuristics(library, Kind::heuristics);
    heuristics.set(Attribute::heuristics_graph, graph);
    heuristics.set(Attribute::heuristics_mode, Type::heuristic, mode);
    if (target.properties != nullptr) heuristics.set(Attribute::heuristics_device, *target.properties);
    heuristics.finalize();
    std::vector<Descriptor> found;
    std::vector<RawDescriptor> raw;
    for (std::int64_t i = 0; i < most; ++i) {
      found.emplace_back(library, Kind::engine_configuration);
      raw.push_back(found.back().raw());
    }
    const std::int64_t count =
        heuristics.get(Attribute::heuristics_results, Type::descriptor, most, raw.data());
    found.erase(found.begin() + std::clamp<std::int64_t>(count, 0, most), found.end());
    return found;
  }

  Descriptor plan_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace attention::cudnn
