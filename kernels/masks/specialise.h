// kernel_source(): a case's kernel with the case's expressions in it, as a text for NVRTC. Plain host code.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/masks/cuda_text.h"
#include "kernels/masks/masks.h"

namespace masks {

struct KernelSource {
  std::string name;  // another for each text, so that two cases' kernels have two names
  std::string text;
};

// `dense`: the mask is read from memory, a bit a pair.
inline KernelSource kernel_source(const Shape& shape, const Expression& mask, const Expression& score,
                                  bool dense) {
  const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
  constexpr const char* parameters = "int q, int k, int head, int heads, int sequence, const int* documents";
  std::string rule = "using namespace masks;\nnamespace {\nstruct Rule {\n";
  rule += "  static constexpr bool changes_scores = " + flag(!score.is_score()) + ";\n";
  rule += "  static constexpr bool score_reads_documents = " + flag(score.uses(Op::document)) + ";\n";
  rule += "  static constexpr bool is_dense = " + flag(dense) + ";\n";
  rule += std::string("  static KERNEL_DEVICE bool seen(") + parameters + ") {\n    return " +
          (dense ? "true" : cuda_text(mask)) + ";\n  }\n";
  rule += std::string("  static KERNEL_DEVICE float score(float score, ") + parameters + ") {\n    return " +
          cuda_text(score) + ";\n  }\n};\n}  // namespace\n";
  const std::string tiling = "attention::Wgmma" + std::to_string(shape.dimension);
  const std::string element = shape.dtype == harness::sdk::DType::f16 ? "ptx::F16" : "ptx::BF16";
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : rule + tiling + element) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  KernelSource source;
  source.name = (dense ? "masked_attention_dense_" : "masked_attention_") + std::to_string(hash);
  source.text =
      "#include \"kernels/masks/masked_kernel.cuh\"\n" + rule +
      "extern \"C\" __global__ void __launch_bounds__(" + tiling + "::threads, 1)\n" + source.name +
      "(const __grid_constant__ masks::Arguments problem, const __grid_constant__ ptx::TensorMap q,\n"
      " const __grid_constant__ ptx::TensorMap k, const __grid_constant__ ptx::TensorMap v) {\n"
      "  attention::wgmma_attention<MaskedTiles<" +
      tiling + ", Rule>, " + element + ">(problem, &q, &k, &v);\n}\n";
  return source;
}

}  // namespace masks
