// attention/cudnn_sdpa: the reference of the CUDA variants, cuDNN's fused attention. The plan is made once,
// before timing; a call executes it.
#include "harness/sdk/registry.h"
#include "kernels/attention/cudnn_call.h"

// Where the library's own header is installed, what cudnn_library.h says of its API is compared with it.
#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define HARNESS_SAME(ours, theirs) static_assert(static_cast<int>(attention::cudnn::ours) == (theirs))
HARNESS_SAME(DataType::f32, CUDNN_DATA_FLOAT);
HARNESS_SAME(DataType::f16, CUDNN_DATA_HALF);
HARNESS_SAME(DataType::bf16, CUDNN_DATA_BFLOAT16);
HARNESS_SAME(DataType::i32, CUDNN_DATA_INT32);
HARNESS_SAME(DataType::boolean, CUDNN_DATA_BOOLEAN);
HARNESS_SAME(Pointwise::add, CUDNN_POINTWISE_ADD);
HARNESS_SAME(Pointwise::mul, CUDNN_POINTWISE_MUL);
HARNESS_SAME(Pointwise::div, CUDNN_POINTWISE_DIV);
HARNESS_SAME(Pointwise::sub, CUDNN_POINTWISE_SUB);
HARNESS_SAME(Pointwise::exp, CUDNN_POINTWISE_EXP);
HARNESS_SAME(Pointwise::log, CUDNN_POINTWISE_LOG);
HARNESS_SAME(Pointwise::greater, CUDNN_POINTWISE_CMP_GT);
HARNESS_SAME(Pointwise::greater_or_equal, CUDNN_POINTWISE_CMP_GE);
HARNESS_SAME(Pointwise::index, CUDNN_POINTWISE_GEN_INDEX);
HARNESS_SAME(Pointwise::select, CUDNN_POINTWISE_BINARY_SELECT);
HARNESS_SAME(Reduction::add, CUDNN_REDUCE_TENSOR_ADD);
HARNESS_SAME(Reduction::max, CUDNN_REDUCE_TENSOR_MAX);
HARNESS_SAME(Heuristic::best, CUDNN_HEUR_MODE_A);
HARNESS_SAME(Heuristic::fallback, CUDNN_HEUR_MODE_FALLBACK);
HARNESS_SAME(Kind::pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
HARNESS_SAME(Kind::convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
HARNESS_SAME(Kind::convolution_operation, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
HARNESS_SAME(Kind::engine_configuration, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
HARNESS_SAME(Kind::heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
HARNESS_SAME(Kind::plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
HARNESS_SAME(Kind::pointwise_operation, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
HARNESS_SAME(Kind::graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
HARNESS_SAME(Kind::variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
HARNESS_SAME(Kind::tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
HARNESS_SAME(Kind::matmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
HARNESS_SAME(Kind::matmul_operation, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
HARNESS_SAME(Kind::reduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
HARNESS_SAME(Kind::reduction_operation, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
HARNESS_SAME(Type::handle, CUDNN_TYPE_HANDLE);
HARNESS_SAME(Type::data_type, CUDNN_TYPE_DATA_TYPE);
HARNESS_SAME(Type::boolean, CUDNN_TYPE_BOOLEAN);
HARNESS_SAME(Type::integer, CUDNN_TYPE_INT64);
HARNESS_SAME(Type::real, CUDNN_TYPE_FLOAT);
HARNESS_SAME(Type::convolution, CUDNN_TYPE_CONVOLUTION_MODE);
HARNESS_SAME(Type::pointer, CUDNN_TYPE_VOID_PTR);
HARNESS_SAME(Type::heuristic, CUDNN_TYPE_HEUR_MODE);
HARNESS_SAME(Type::pointwise, CUDNN_TYPE_POINTWISE_MODE);
HARNESS_SAME(Type::descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
HARNESS_SAME(Type::reduction, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE);
HARNESS_SAME(Type::text, CUDNN_TYPE_CHAR);
HARNESS_SAME(Attribute::pointwise_mode, CUDNN_ATTR_POINTWISE_MODE);
HARNESS_SAME(Attribute::pointwise_precision, CUDNN_ATTR_POINTWISE_MATH_PREC);
HARNESS_SAME(Attribute::pointwise_axis, CUDNN_ATTR_POINTWISE_AXIS);
HARNESS_SAME(Attribute::convolution_precision, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
HARNESS_SAME(Attribute::convolution_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
HARNESS_SAME(Attribute::convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
HARNESS_SAME(Attribute::convolution_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
HARNESS_SAME(Attribute::convolution_post_paddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
HARNESS_SAME(Attribute::convolution_pre_paddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
HARNESS_SAME(Attribute::convolution_dimensions, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
HARNESS_SAME(Attribute::operation_convolution_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
HARNESS_SAME(Attribute::operation_convolution_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
HARNESS_SAME(Attribute::operation_convolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
HARNESS_SAME(Attribute::operation_convolution_w, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
HARNESS_SAME(Attribute::operation_convolution_x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
HARNESS_SAME(Attribute::operation_convolution_y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
HARNESS_SAME(Attribute::heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE);
HARNESS_SAME(Attribute::heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
HARNESS_SAME(Attribute::heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS);
HARNESS_SAME(Attribute::plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
HARNESS_SAME(Attribute::plan_configuration, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
HARNESS_SAME(Attribute::plan_workspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
HARNESS_SAME(Attribute::operation_pointwise, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
HARNESS_SAME(Attribute::operation_pointwise_x, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
HARNESS_SAME(Attribute::operation_pointwise_b, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
HARNESS_SAME(Attribute::operation_pointwise_y, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
HARNESS_SAME(Attribute::operation_pointwise_t, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
HARNESS_SAME(Attribute::graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
HARNESS_SAME(Attribute::graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
HARNESS_SAME(Attribute::tensor_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
HARNESS_SAME(Attribute::tensor_type, CUDNN_ATTR_TENSOR_DATA_TYPE);
HARNESS_SAME(Attribute::tensor_extents, CUDNN_ATTR_TENSOR_DIMENSIONS);
HARNESS_SAME(Attribute::tensor_strides, CUDNN_ATTR_TENSOR_STRIDES);
HARNESS_SAME(Attribute::tensor_id, CUDNN_ATTR_TENSOR_UNIQUE_ID);
HARNESS_SAME(Attribute::tensor_is_virtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
HARNESS_SAME(Attribute::tensor_is_by_value, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
HARNESS_SAME(Attribute::pack_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
HARNESS_SAME(Attribute::pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
HARNESS_SAME(Attribute::pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
HARNESS_SAME(Attribute::matmul_precision, CUDNN_ATTR_MATMUL_COMP_TYPE);
HARNESS_SAME(Attribute::operation_matmul_a, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
HARNESS_SAME(Attribute::operation_matmul_b, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
HARNESS_SAME(Attribute::operation_matmul_c, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
HARNESS_SAME(Attribute::operation_matmul, CUDNN_ATTR_OPERATION_MATMUL_DESC);
HARNESS_SAME(Attribute::reduction_operator, CUDNN_ATTR_REDUCTION_OPERATOR);
HARNESS_SAME(Attribute::reduction_precision, CUDNN_ATTR_REDUCTION_COMP_TYPE);
HARNESS_SAME(Attribute::operation_reduction_x, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
HARNESS_SAME(Attribute::operation_reduction_y, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
HARNESS_SAME(Attribute::operation_reduction, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
#undef HARNESS_SAME
#endif

namespace attention {
namespace {

using harness::sdk::Buffers;
using harness::sdk::DeviceTraits;
using harness::sdk::Params;
using harness::sdk::Problem;
using harness::sdk::Stream;

class CudnnSdpa final : public harness::sdk::Kernel {
 public:
  CudnnSdpa(const Params& params, const Problem&, const DeviceTraits&) : call_(shape_of(params)) {}
  [[nodiscard]] std::size_t workspace_bytes() const override { return call_.workspace_bytes(); }
  void bind(const Buffers& buffers) override { call_.bind(buffers); }
  void run(Stream stream) override { call_.run(stream); }

 private:
  cudnn::Call call_;
};

}  // namespace
}  // namespace attention

HARNESS_VARIANT(attention, cudnn_sdpa, cuda, "cuDNN's fused attention (backend API)", attention::CudnnSdpa)
