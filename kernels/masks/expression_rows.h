// ExpressionRows: evaluates an expression for one query and a run of keys at a time, in loops that a compiler
// turns into vector instructions. Real is double for the oracle and float for CPU variants. Plain host code;
// one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/masks/expression_bounds.h"

namespace masks {

template <class Real>
class ExpressionRows {
 public:
  ExpressionRows(const Expression& expression, const Domain& domain)
      : nodes_(expression.nodes()), domain_(domain), lanes_(nodes_.size()) {}

  // seen[i]: whether query `query` of head `head` sees key `key` + i, as 1 or 0.
  void seen(std::int64_t head, std::int64_t query, std::int64_t key, std::int64_t count, std::uint8_t* seen) {
    in_runs(count, [&](std::int64_t begin, int run) {
      evaluate(head, query, key + begin, run, nullptr);
      const std::int32_t* const values = lanes_.back().whole;
      for (int i = 0; i < run; ++i) seen[begin + i] = static_cast<std::uint8_t>(values[i]);
    });
  }

  // Scores q k / sqrt(d) become what the expression makes of them.
  void change(std::int64_t head, std::int64_t query, std::int64_t key, std::int64_t count, Real* scores) {
    in_runs(count, [&](std::int64_t begin, int run) {
      evaluate(head, query, key + begin, run, scores + begin);
      std::copy_n(lanes_.back().real, run, scores + begin);
    });
  }

 private:
  static constexpr int most = 128;
  struct Lanes {
    std::int32_t whole[most];  // of integers and conditions
    Real real[most];
  };

  template <class Run>
  static void in_runs(std::int64_t count, const Run& run) {
    for (std::int64_t begin = 0; begin < count; begin += most)
      run(begin, static_cast<int>(std::min<std::int64_t>(most, count - begin)));
  }

  void evaluate(std::int64_t head, std::int64_t query, std::int64_t key, int count, const Real* scores) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      Lanes& to = lanes_[n];
      const auto whole = [&](auto&& function) {
        for (int i = 0; i < count; ++i) to.whole[i] = static_cast<std::int32_t>(function(i));
      };
      switch (node.op) {
        case Op::query: whole([&](int) { return query; }); break;
        case Op::key: whole([&](int i) { return key + i; }); break;
        case Op::head: whole([&](int) { return head; }); break;
        case Op::heads: whole([&](int) { return domain_.heads; }); break;
        case Op::sequence: whole([&](int) { return domain_.sequence; }); break;
        case Op::boolean:
        case Op::integer: whole([&](int) { return node.number; }); break;
        case Op::real: std::fill_n(to.real, count, static_cast<Real>(node.number)); break;
        case Op::score:
          if (scores != nullptr) std::copy_n(scores, count, to.real);
          break;
        default: combine(node, to, count);
      }
    }
  }

  void combine(const Node& node, Lanes& to, int count) const {
    const auto of = [&](int operand) -> const Lanes& { return lanes_[static_cast<std::size_t>(operand)]; };
    const Lanes& a = of(node.a);
    const Lanes& b = node.b < 0 ? a : of(node.b);
    const bool real = nodes_[static_cast<std::size_t>(node.b < 0 ? node.a : node.b)].type == Type::real;
    const auto whole = [&](auto&& function) {
      for (int i = 0; i < count; ++i)
        to.whole[i] = static_cast<std::int32_t>(function(a.whole[i], b.whole[i]));
    };
    const auto reals = [&](auto&& function) {
      for (int i = 0; i < count; ++i) to.real[i] = function(a.real[i], b.real[i]);
    };
    const auto both = [&](auto&& function) { real ? reals(function) : whole(function); };
    const auto compare = [&](auto&& function) {
      if (real)
        for (int i = 0; i < count; ++i) to.whole[i] = function(a.real[i], b.real[i]) ? 1 : 0;
      else
        whole(function);
    };
    switch (node.op) {
      case Op::document:
        whole([&](std::int32_t x, std::int32_t) { return domain_.documents[static_cast<std::size_t>(x)]; });
        break;
      case Op::to_real:
        for (int i = 0; i < count; ++i) to.real[i] = static_cast<Real>(a.whole[i]);
        break;
      case Op::negate: both([](auto x, auto) { return -x; }); break;
      case Op::exp: reals([](Real x, Real) { return std::exp(x); }); break;
      case Op::exp2: reals([](Real x, Real) { return std::exp2(x); }); break;
      case Op::tanh: reals([](Real x, Real) { return std::tanh(x); }); break;
      case Op::abs: both([](auto x, auto) { return x < 0 ? -x : x; }); break;
      case Op::logical_not: whole([](std::int32_t x, std::int32_t) { return 1 - x; }); break;
      case Op::add: both([](auto x, auto y) { return x + y; }); break;
      case Op::subtract: both([](auto x, auto y) { return x - y; }); break;
      case Op::multiply: both([](auto x, auto y) { return x * y; }); break;
      case Op::divide: both([](auto x, auto y) { return x / y; }); break;
      case Op::modulo: whole([](std::int32_t x, std::int32_t y) { return x % y; }); break;
      case Op::smaller: both([](auto x, auto y) { return y < x ? y : x; }); break;
      case Op::larger: both([](auto x, auto y) { return x < y ? y : x; }); break;
      case Op::less: compare([](auto x, auto y) { return x < y; }); break;
      case Op::less_equal: compare([](auto x, auto y) { return x <= y; }); break;
      case Op::equal: compare([](auto x, auto y) { return x == y; }); break;
      case Op::not_equal: compare([](auto x, auto y) { return x != y; }); break;
      case Op::logical_and: whole([](std::int32_t x, std::int32_t y) { return x & y; }); break;
      case Op::logical_or: whole([](std::int32_t x, std::int32_t y) { return x | y; }); break;
      case Op::choose: {
        const Lanes& c = of(node.c);
        for (int i = 0; i < count; ++i) {
          if (node.type == Type::real)
            to.real[i] = a.whole[i] != 0 ? b.real[i] : c.real[i];
          else
            to.whole[i] = a.whole[i] != 0 ? b.whole[i] : c.whole[i];
        }
        break;
      }
      default: break;
    }
  }

  const std::vector<Node>& nodes_;
  Domain domain_;
  std::vector<Lanes> lanes_;
};

}  // namespace masks
