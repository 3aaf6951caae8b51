// ConvolutionCall: cuDNN's convolution of pictures (batch, channels, size, size) with 3 x 3 taps, ready to
// run. The library chooses the engine; it may turn the pictures on the way. Host code without CUDA; it
// belongs to one thread at a time.
#pragma once

#include <utility>
#include <vector>

#include "kernels/attention/cudnn_call.h"
#include "kernels/backends/network.h"

namespace backends {

class ConvolutionGraph {
 public:
  enum Id : std::int64_t { x_id = 1, w_id, y_id };

  ConvolutionGraph(const attention::cudnn::Library& library, const Shape& shape, void* handle)
      : graph_(library, Kind::graph) {
    const std::int64_t channels = shape.width;
    Descriptor x = tensor(library, x_id, {shape.batch, channels, shape.size, shape.size});
    Descriptor w = tensor(library, w_id, {channels, channels, 3, 3});
    Descriptor y = tensor(library, y_id, {shape.batch, channels, shape.size, shape.size});
    Descriptor what(library, Kind::convolution);
    const std::vector<std::int64_t> ones = {1, 1};
    constexpr int cross_correlation = 1;  // taps are not turned round
    what.set(Attribute::convolution_precision, Type::data_type, attention::cudnn::DataType::f32);
    what.set(Attribute::convolution_mode, Type::convolution, cross_correlation);
    what.set(Attribute::convolution_dimensions, Type::integer, std::int64_t{2});
    for (const Attribute of_both :
         {Attribute::convolution_dilations, Attribute::convolution_strides,
          Attribute::convolution_pre_paddings, Attribute::convolution_post_paddings})
      what.set(of_both, ones);
    what.finalize();
    Descriptor operation(library, Kind::convolution_operation);
    operation.set(Attribute::operation_convolution, what);
    operation.set(Attribute::operation_convolution_x, x);
    operation.set(Attribute::operation_convolution_w, w);
    operation.set(Attribute::operation_convolution_y, y);
    operation.set(Attribute::operation_convolution_alpha, Type::real, 1.0F);
    operation.set(Attribute::operation_convolution_beta, Type::real, 0.0F);
    operation.finalize();
    if (handle != nullptr) graph_.set(Attribute::graph_handle, Type::handle, handle);
    graph_.set(Attribute::graph_operations, operation);
    graph_.finalize();
    for (Descriptor* const one : {&x, &w, &y, &what, &operation}) parts_.push_back(std::move(*one));
  }

  [[nodiscard]] const attention::cudnn::Descriptor& descriptor() const { return graph_; }

 private:
  using Attribute = attention::cudnn::Attribute;
  using Descriptor = attention::cudnn::Descriptor;
  using Kind = attention::cudnn::Kind;
  using Type = attention::cudnn::Type;

  static Descriptor tensor(const attention::cudnn::Library& library, std::int64_t id,
                           const std::vector<std::int64_t>& extents) {
    Descriptor made(library, Kind::tensor);
    made.set(Attribute::tensor_id, Type::integer, id);
    made.set(Attribute::tensor_type, Type::data_type, attention::cudnn::DataType::f16);
    made.set(Attribute::tensor_extents, extents);
    made.set(Attribute::tensor_strides, std::vector<std::int64_t>{extents[1] * extents[2] * extents[3],
                                                                  extents[2] * extents[3], extents[3], 1});
    made.set(Attribute::tensor_alignment, Type::integer, std::int64_t{16});
    made.finalize();
    return made;
  }

  std::vector<Descriptor> parts_;
  Descriptor graph_;
};

class ConvolutionCall {
 public:
  explicit ConvolutionCall(const Shape& shape)
      : handle_(attention::cudnn::Library::instance()),
        graph_(attention::cudnn::Library::instance(), shape, handle_.get()),
        planned_(attention::cudnn::Library::instance(), handle_, graph_.descriptor(), "a convolution") {}

  [[nodiscard]] std::size_t workspace_bytes() const { return planned_.workspace_bytes(); }
  void bind(const void* x, const void* w, void* y, void* workspace) {
    planned_.bind({ConvolutionGraph::x_id, ConvolutionGraph::w_id, ConvolutionGraph::y_id},
                  {const_cast<void*>(x), const_cast<void*>(w), y}, workspace);
  }
  void run(harness::sdk::Stream stream) { planned_.run(stream); }

 private:
  attention::cudnn::Handle handle_;
  ConvolutionGraph graph_;
  attention::cudnn::PlannedGraph planned_;
};

}  // namespace backends
