#include "kernels/backends/network_workload.h"

#include <stdexcept>

#include "kernels/backends/oracle.h"
#include "kernels/fill.h"

namespace backends {

using harness::sdk::HostTensor;
using harness::sdk::ParamKind;
using harness::sdk::Params;
using harness::sdk::ParamSpec;
using harness::sdk::Problem;
using harness::sdk::Role;

std::vector<ParamSpec> NetworkWorkload::params() const {
  std::vector<ParamSpec> all = {
      {"dtype", ParamKind::text, "element type of x, y and weights", {"f32", "f16"}, {}, 1}};
  const auto integer = [&](const char* name, const char* summary) {
    all.push_back({name, ParamKind::integer, summary, {}, {}, 1});
  };
  if (network_ == Network::transformer) integer("heads", "of attention");
  integer("layers", "one after another");
  integer("batch", "inputs of a call");
  if (network_ == Network::transformer) integer("length", "tokens of an input");
  if (network_ == Network::conv) {
    integer("channels", "of every layer");
    integer("size", "a picture has size x size points");
  } else {
    integer("width", "elements of a row");
  }
  return all;
}

// Weights are constants of the network; they are read once. A result of many layers of f16 is off by less
// than a hundredth.
Problem NetworkWorkload::problem(const Params& params) const {
  const Shape shape = shape_of(network_, params);
  if (static_cast<double>(shape.rows()) * static_cast<double>(shape.hidden()) > 0x1p34)
    throw harness::sdk::Unsupported("a tensor of more than 2^34 elements");
  Problem problem;
  problem.tensors = {{"x", Role::input, shape.dtype, shape.extents()},
                     {"y", Role::output, shape.dtype, shape.extents()}};
  double elements = 2 * static_cast<double>(shape.elements());
  for (const WeightShape& weight : weight_shapes(shape)) elements += static_cast<double>(weight.elements());
  problem.work = {flops_of(shape), elements * static_cast<double>(harness::sdk::size_of(shape.dtype)),
                  static_cast<double>(shape.batch), "inputs"};
  problem.tolerance = {1e-2};
  return problem;
}

void NetworkWorkload::fill(const Params&, std::uint64_t seed, std::span<HostTensor> inputs) const {
  kernels::fill_uniform(inputs[x_index], seed, x_index, 1.0F);
}

void NetworkWorkload::reference(const Params& params, std::span<const HostTensor> inputs, std::size_t output,
                                std::span<const std::int64_t> wanted, std::span<double> expected) const {
  if (output != 0) throw std::out_of_range("a network has one output, number 0");
  const Shape shape = shape_of(network_, params);
  const auto place = [&](std::int64_t at) {
    return static_cast<std::size_t>(network_ == Network::conv ? channels_last(shape, at) : at);
  };
  Float64::Value x(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t at = 0; at < shape.elements(); ++at) x[place(at)] = inputs[x_index].at(at);
  Float64 ops(shape);
  const Float64::Value y = forward(shape, ops, std::move(x));
  for (std::size_t e = 0; e < wanted.size(); ++e) expected[e] = y[place(wanted[e])];
}

}  // namespace backends
