// cuda_text(): an expression as CUDA C++, for the kernel that is compiled at run time. Names in it: q, k,
// head, heads and sequence are ints, score is a float, documents a pointer to ints; exp_approximate() is in
// masked_kernel.cuh. Plain host code.
#pragma once

#include <string>

#include "kernels/masks/expression.h"

namespace masks {

inline std::string cuda_text(const Expression& expression, int index = -1) {
  const std::vector<Node>& nodes = expression.nodes();
  const Node& node = index < 0 ? nodes.back() : nodes[static_cast<std::size_t>(index)];
  const auto of = [&](int operand) { return cuda_text(expression, operand); };
  if (!symbol_of(node.op).empty())
    return "(" + of(node.a) + " " + std::string(symbol_of(node.op)) + " " + of(node.b) + ")";
  const auto call = [&](const char* function) {
    return std::string(function) + "(" + of(node.a) + (node.b < 0 ? "" : ", " + of(node.b)) + ")";
  };
  const bool real = node.type == Type::real;
  switch (node.op) {
    case Op::boolean: return node.number != 0 ? "true" : "false";
    case Op::integer: return std::to_string(static_cast<std::int64_t>(node.number));
    case Op::real: return "static_cast<float>(" + real_text(node.number) + ")";
    case Op::document: return "documents[" + of(node.a) + "]";
    case Op::to_real: return "static_cast<float>(" + of(node.a) + ")";
    case Op::negate: return "(-" + of(node.a) + ")";
    case Op::logical_not: return "(!" + of(node.a) + ")";
    case Op::exp: return call("exp_approximate");
    case Op::exp2: return call("ptx::exp2_approximate");
    case Op::tanh: return call("ptx::tanh_approximate");
    case Op::abs: return call(real ? "fabsf" : "abs");
    case Op::smaller: return call(real ? "fminf" : "min");
    case Op::larger: return call(real ? "fmaxf" : "max");
    case Op::choose: return "(" + of(node.a) + " ? " + of(node.b) + " : " + of(node.c) + ")";
    default: return std::string(name_of(node.op));
  }
}

}  // namespace masks
