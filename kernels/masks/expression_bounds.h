// Bounds of an expression over a rectangle of queries and keys, by interval arithmetic. Whole numbers are
// exact, so a rectangle of one query and one key has one value. Also check(): that every part stays within
// what CUDA C++ computes alike, 32-bit numbers, divisors other than 0 and tokens that exist. Plain host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/masks/expression.h"

namespace masks {

// An expression may ask for this besides q and k.
struct Domain {
  std::int64_t sequence = 1;
  std::int64_t heads = 1;
  std::span<const std::int32_t> documents;  // of each token, ascending
};

// Both ends belong to it; NaN: not known. Conditions are 0 (false) and 1.
struct Interval {
  double low = 0;
  double high = 0;
  [[nodiscard]] bool single() const { return low == high; }
  [[nodiscard]] bool never() const { return high == 0; }
  [[nodiscard]] bool always() const { return low == 1; }
};

struct Rectangle {
  std::int64_t query = 0;  // the first, and how many
  std::int64_t queries = 1;
  std::int64_t key = 0;
  std::int64_t keys = 1;
};

class Bounds {
 public:
  Bounds(const Expression& expression, const Domain& domain)
      : nodes_(expression.nodes()), domain_(domain), values_(nodes_.size()) {}

  // Throws std::invalid_argument when a part may leave what can be computed.
  void check() {
    checking_ = true;
    over({0, domain_.sequence, 0, domain_.sequence}, 0, domain_.heads);
    checking_ = false;
  }

  Interval over(const Rectangle& rectangle, std::int64_t head, std::int64_t heads = 1) {
    const auto integer = [](std::int64_t first, std::int64_t count) {
      return Interval{static_cast<double>(first), static_cast<double>(first + count - 1)};
    };
    constexpr double any = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      const auto value = [&](int operand) {
        return operand < 0 ? Interval{} : values_[static_cast<std::size_t>(operand)];
      };
      Interval& to = values_[i];
      switch (node.op) {
        case Op::query: to = integer(rectangle.query, rectangle.queries); break;
        case Op::key: to = integer(rectangle.key, rectangle.keys); break;
        case Op::head: to = integer(head, heads); break;
        case Op::heads: to = integer(domain_.heads, 1); break;
        case Op::sequence: to = integer(domain_.sequence, 1); break;
        case Op::score: to = {-any, any}; break;
        case Op::boolean:
        case Op::integer:
        case Op::real: to = {node.number, node.number}; break;
        default: to = combined(node, value(node.a), value(node.b), value(node.c));
      }
      if (checking_ && node.type == Type::integer && !(to.low >= -2147483648.0 && to.high <= 2147483647.0))
        throw std::invalid_argument("a whole number may leave 32 bits; divide or use smaller factors");
    }
    return values_.back();
  }

 private:
  [[nodiscard]] Interval combined(const Node& node, Interval a, Interval b, Interval c) const {
    switch (node.op) {
      case Op::to_real: return a;
      case Op::negate: return {-a.high, -a.low};
      case Op::exp: return {std::exp(a.low), std::exp(a.high)};
      case Op::exp2: return {std::exp2(a.low), std::exp2(a.high)};
      case Op::tanh: return {std::tanh(a.low), std::tanh(a.high)};
      case Op::abs:
        return {a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, std::max(std::fabs(a.low), std::fabs(a.high))};
      case Op::document: return document(a);
      case Op::logical_not: return {1 - a.high, 1 - a.low};
      case Op::add: return {a.low + b.low, a.high + b.high};
      case Op::subtract: return {a.low - b.high, a.high - b.low};
      case Op::multiply:
        return node.type == Type::real ? anything() : hull(a, b, [](double x, double y) { return x * y; });
      case Op::divide: return divided(node.type, a, b);
      case Op::modulo: return remainder(a, b);
      case Op::smaller: return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case Op::larger: return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case Op::less: return {a.high < b.low ? 1.0 : 0.0, a.low >= b.high ? 0.0 : 1.0};
      case Op::less_equal: return {a.high <= b.low ? 1.0 : 0.0, a.low > b.high ? 0.0 : 1.0};
      case Op::equal: return equal(a, b);
      case Op::not_equal: return {1 - equal(a, b).high, 1 - equal(a, b).low};
      case Op::logical_and: return {std::min(a.low, b.low), std::min(a.high, b.high)};
      case Op::logical_or: return {std::max(a.low, b.low), std::max(a.high, b.high)};
      case Op::choose:
        if (a.single()) return a.low != 0 ? b : c;
        return {std::min(b.low, c.low), std::max(b.high, c.high)};
      default: return anything();
    }
  }

  static Interval anything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  static Interval equal(Interval a, Interval b) {
    return {a.single() && b.single() && a.low == b.low ? 1.0 : 0.0,
            a.low > b.high || b.low > a.high ? 0.0 : 1.0};
  }
  // The corners are the extremes.
  template <class Function>
  static Interval hull(Interval a, Interval b, const Function& function) {
    const double corners[] = {function(a.low, b.low), function(a.low, b.high), function(a.high, b.low),
                              function(a.high, b.high)};
    return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
  }
  [[nodiscard]] Interval divided(Type type, Interval a, Interval b) const {
    if (type == Type::real) return anything();
    need_divisor(b);
    return hull(a, b, [](double x, double y) { return std::trunc(x / y); });
  }
  [[nodiscard]] Interval remainder(Interval a, Interval b) const {
    need_divisor(b);
    const double most = std::max(std::fabs(b.low), std::fabs(b.high));
    const bool one_round = b.single() && std::trunc(a.low / most) == std::trunc(a.high / most);
    if (one_round) return {std::fmod(a.low, most), std::fmod(a.high, most)};
    return {a.low < 0 ? std::max(a.low, 1 - most) : 0, a.high > 0 ? std::min(a.high, most - 1) : 0};
  }
  static void need_divisor(Interval b) {
    if (b.low <= 0 && b.high >= 0)
      throw std::invalid_argument("a divisor may be 0; write `max(1, ...)` around it");
  }
  [[nodiscard]] Interval document(Interval a) const {
    if (a.low < 0 || a.high >= static_cast<double>(domain_.sequence))
      throw std::invalid_argument("document() may be asked about a token before the first or after the last");
    const auto of = [&](double token) {
      return static_cast<double>(domain_.documents[static_cast<std::size_t>(token)]);
    };
    return {of(a.low), of(a.high)};
  }

  const std::vector<Node>& nodes_;
  Domain domain_;
  std::vector<Interval> values_;
  bool checking_ = false;
};

}  // namespace masks
