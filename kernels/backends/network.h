// The networks mlp, conv and transformer as every variant in C++ sees them: their sizes, their weights, and
// how each computes y from x, over an object with the operations. networks.py has the same for Python.
// Weights are constants of a network, which a variant prepares when it is made. Header-only, host code.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/sdk/params.h"

namespace backends {

inline constexpr std::size_t x_index = 0;
inline constexpr std::size_t y_index = 1;
inline constexpr double epsilon = 1e-5;  // of a normalisation

enum class Network {
  mlp,          // layers of relu(x W)
  conv,         // layers of relu(3 x 3 convolution of x), with zeros outside
  transformer,  // layers of attention and two products, each added and normalised
};

struct Shape {
  Network network = Network::mlp;
  harness::sdk::DType dtype = harness::sdk::DType::f16;
  std::int64_t layers = 1;
  std::int64_t batch = 1;
  std::int64_t width = 1;   // of a row; a convolution's channels
  std::int64_t heads = 1;   // of a transformer
  std::int64_t length = 1;  // likewise: tokens of a sequence
  std::int64_t size = 1;    // of a picture: size x size points

  [[nodiscard]] std::int64_t points() const { return size * size; }
  // The rows that products see: of the batch, tokens, or points of all pictures.
  [[nodiscard]] std::int64_t rows() const { return batch * length * points(); }
  [[nodiscard]] std::int64_t elements() const { return rows() * width; }
  [[nodiscard]] std::int64_t head() const { return width / heads; }
  [[nodiscard]] std::int64_t hidden() const { return 4 * width; }
  [[nodiscard]] std::vector<std::int64_t> extents() const {
    switch (network) {
      case Network::mlp: return {batch, width};
      case Network::conv: return {batch, width, size, size};
      case Network::transformer: return {batch, length, width};
    }
    return {};
  }
};

// A small network, to load what larger ones call.
inline Shape small_shape(Network network) {
  Shape shape;
  shape.network = network;
  shape.batch = 16;
  shape.width = 64;
  if (network == Network::transformer) shape.length = 64;
  if (network == Network::conv) shape.size = 8;
  return shape;
}

// Reads the parameters of a case; std::out_of_range when they are not those of this workload. Throws
// Unsupported where the heads do not divide the width.
inline Shape shape_of(Network network, const harness::sdk::Params& params) {
  Shape shape;
  shape.network = network;
  shape.dtype = params.dtype();
  shape.layers = params.integer("layers");
  shape.batch = params.integer("batch");
  shape.width = params.integer(network == Network::conv ? "channels" : "width");
  if (network == Network::conv) shape.size = params.integer("size");
  if (network == Network::transformer) {
    shape.heads = params.integer("heads");
    shape.length = params.integer("length");
    if (shape.width % shape.heads != 0) throw harness::sdk::Unsupported("heads must divide width");
  }
  return shape;
}

// A weight as networks.py has it: the rows of a product are those of its x; a convolution's weight is (out,
// in, 3, 3).
struct WeightShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

inline std::vector<WeightShape> weight_shapes(const Shape& shape) {
  const std::int64_t d = shape.width;
  std::vector<WeightShape> all;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    switch (shape.network) {
      case Network::mlp: all.push_back({d, d}); break;
      case Network::conv: all.push_back({d, d * 9}); break;
      case Network::transformer:
        all.insert(all.end(), {{d, d}, {d, d}, {d, d}, {d, d}, {d, shape.hidden()}, {shape.hidden(), d}});
        break;
    }
  }
  return all;
}

// The products that an element of the result sums.
inline std::int64_t inputs_of(Network network, const WeightShape& weight) {
  return network == Network::conv ? weight.columns : weight.rows;
}

// The operation after a product.
enum class After { nothing, relu, add };

// The result, computed by the operations of `ops`, where weights are numbers into weight_shapes():
//   convolution(x, weight)           relu of it
//   product(x, weight, after, added) relu(x W), or x W + added
//   attention(x, query)              of x Wquery, x Wquery+1 (keys) and x Wquery+2 (values)
//   normalise(x)                     rows with mean 0 and variance 1
template <class Ops, class Value>
Value forward(const Shape& shape, Ops& ops, Value x) {
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(shape.layers); ++layer) {
    switch (shape.network) {
      case Network::mlp: x = ops.product(x, layer, After::relu, Value{}); break;
      case Network::conv: x = ops.convolution(x, layer); break;
      case Network::transformer: {
        const std::size_t query = layer * 6, out = query + 3, up = query + 4, down = query + 5;
        const Value attended = ops.attention(x, query);
        x = ops.normalise(ops.product(attended, out, After::add, x));
        const Value hidden = ops.product(x, up, After::relu, Value{});
        x = ops.normalise(ops.product(hidden, down, After::add, x));
        break;
      }
    }
  }
  return x;
}

// The work of products, convolutions and attention.
inline double flops_of(const Shape& shape) {
  const auto rows = static_cast<double>(shape.rows());
  double flops = 0;
  for (const WeightShape& weight : weight_shapes(shape))
    flops += 2 * rows * static_cast<double>(weight.elements());
  if (shape.network == Network::transformer)
    flops += 4 * static_cast<double>(shape.layers * shape.length * shape.width) * rows;
  return flops;
}

}  // namespace backends
