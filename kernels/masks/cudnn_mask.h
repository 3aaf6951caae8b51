// cudnn_shape(): the masks of a suite that cuDNN has too, in its terms. Throws Unsupported for the others.
// Host code.
#pragma once

#include "kernels/attention/attention.h"
#include "kernels/masks/masks.h"

namespace masks {

// The k of "k <= q && q - k < N", or 0.
inline std::int64_t window_of(const Expression& mask) {
  const std::string text = mask.canonical();
  for (const Node& node : mask.nodes())
    if (node.op == Op::integer && node.number >= 1 &&
        text ==
            Expression::mask("k <= q && q - k < " + std::to_string(static_cast<std::int64_t>(node.number)))
                .canonical())
      return static_cast<std::int64_t>(node.number);
  return 0;
}

inline attention::Shape cudnn_shape(const Shape& shape) {
  const Expression mask = Expression::mask(shape.mask);
  if (!Expression::score(shape.score).is_score())
    throw harness::sdk::Unsupported("cuDNN's graph leaves scores as they are; this case changes them");
  attention::Shape out;
  out.dtype = shape.dtype;
  out.batch = shape.batch;
  out.heads = shape.heads;
  out.sequence = shape.sequence;
  out.dimension = shape.dimension;
  out.window = window_of(mask);
  out.causal = out.window > 0 || mask.canonical() == Expression::mask("k <= q").canonical();
  if (!out.causal && mask.canonical() != "true")
    throw harness::sdk::Unsupported(
        "cuDNN has the masks `true`, `k <= q` and `k <= q && q - k < N`; this case has `" + shape.mask + "`");
  return out;
}

}  // namespace masks
