// Expression: what a suite writes to say which keys a query sees ("k <= q && q - k < 1024") or how a score
// changes ("20 * tanh(score / 20)"). It is parsed once; expression_rows.h evaluates it on a CPU, cuda_text.h
// writes it as CUDA C++, and expression_bounds.h finds its range. Grammar: README.md. Plain host code;
// immutable.
#pragma once

#include <cctype>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace masks {

enum class Type { boolean, integer, real };

enum class Op {
  boolean,  // constants, in Node::number
  integer,
  real,
  query,  // variables
  key,
  head,
  heads,
  sequence,
  score,
  document,  // of a
  to_real,
  negate,
  exp,
  exp2,
  tanh,
  abs,
  logical_not,
  add,  // of a and b
  subtract,
  multiply,
  divide,
  modulo,
  smaller,
  larger,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  choose,  // a ? b : c
};

// Operands are earlier nodes, by their index.
struct Node {
  Op op = Op::boolean;
  Type type = Type::boolean;
  int a = -1;
  int b = -1;
  int c = -1;
  double number = 0;
};

class Expression {
 public:
  // Throws std::invalid_argument that says where and what was expected. A mask is a condition on whole
  // numbers; a score is a number, in which `score` stands for q k / sqrt(d).
  static Expression mask(std::string_view text);
  static Expression score(std::string_view text);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Node& root() const { return nodes_.back(); }
  [[nodiscard]] bool uses(Op op) const {
    for (const Node& node : nodes_)
      if (node.op == op) return true;
    return false;
  }
  // Changes nothing: the text is `score`.
  [[nodiscard]] bool is_score() const { return root().op == Op::score; }

  // With one spacing and all parentheses, so that equal expressions have equal texts.
  [[nodiscard]] std::string canonical() const { return canonical(static_cast<int>(nodes_.size()) - 1); }

 private:
  friend class ExpressionParser;
  [[nodiscard]] std::string canonical(int index) const;
  std::vector<Node> nodes_;
};

// How the operators with two operands are written, here and in CUDA C++; "" for the others.
constexpr std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::add: return "+";
    case Op::subtract: return "-";
    case Op::multiply: return "*";
    case Op::divide: return "/";
    case Op::modulo: return "%";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::logical_and: return "&&";
    case Op::logical_or: return "||";
    default: return "";
  }
}

// The same of variables and functions.
constexpr std::string_view name_of(Op op) {
  switch (op) {
    case Op::query: return "q";
    case Op::key: return "k";
    case Op::head: return "head";
    case Op::heads: return "heads";
    case Op::sequence: return "sequence";
    case Op::score: return "score";
    case Op::document: return "document";
    case Op::exp: return "exp";
    case Op::exp2: return "exp2";
    case Op::tanh: return "tanh";
    case Op::abs: return "abs";
    case Op::smaller: return "min";
    case Op::larger: return "max";
    default: return "";
  }
}

inline std::string real_text(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return {text, end};
}

class ExpressionParser {
 public:
  ExpressionParser(const char* kind, std::string_view text, bool is_score)
      : kind_(kind), text_(text), is_score_(is_score) {}

  Expression parse() {
    if (text_.size() > 1000) fail("is longer than 1000 characters");
    const int root = choice();
    skip_spaces();
    if (at_ < text_.size()) fail("did not expect this; an operator joins two parts");
    if (is_score_ && type(root) == Type::integer) real(root);
    if (type(out_.nodes_.size() - 1) != (is_score_ ? Type::real : Type::boolean)) {
      at_ = 0;
      fail(is_score_ ? "a score is a number, such as `score - 0.5 * (q - k)`"
                     : "a mask is a condition, such as `k <= q`");
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::invalid_argument(std::string(kind_) + " `" + std::string(text_.substr(0, 200)) +
                                "`, character " + std::to_string(at_ + 1) + ": " + problem);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view symbol) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    // `<` is not the beginning of `<=`, nor `!` of `!=`.
    if ((symbol == "<" || symbol == ">" || symbol == "!") && text_.substr(at_ + 1).starts_with("="))
      return false;
    at_ += symbol.size();
    return true;
  }
  void need(std::string_view symbol) {
    if (!take(symbol)) fail("expected `" + std::string(symbol) + "`");
  }

  template <class Index>
  [[nodiscard]] Type type(Index index) const {
    return out_.nodes_[static_cast<std::size_t>(index)].type;
  }
  int add(Op op, Type type, int a = -1, int b = -1, int c = -1, double number = 0) {
    if (out_.nodes_.size() >= 250) fail("has more than 250 parts");
    out_.nodes_.push_back({op, type, a, b, c, number});
    return static_cast<int>(out_.nodes_.size()) - 1;
  }
  int real(int index) {
    if (type(index) == Type::real) return index;
    if (!is_score_) fail("a mask compares whole numbers; write `10 * k <= 3 * q` for `k <= 0.3 * q`");
    return add(Op::to_real, Type::real, index);
  }
  void need_number(int index) const {
    if (type(index) == Type::boolean) fail("needs a number where a condition stands");
  }
  void need_condition(int index) const {
    if (type(index) != Type::boolean) fail("needs a condition where a number stands, such as `q - k < 8`");
  }

  int join_numbers(Op op, int a, int b, bool compares = false) {
    need_number(a);
    need_number(b);
    const bool both_integer = type(a) == Type::integer && type(b) == Type::integer;
    if (op == Op::modulo && !both_integer) fail("`%` takes whole numbers");
    if (!both_integer) {
      a = real(a);
      b = real(b);
    }
    return add(op, compares ? Type::boolean : type(a), a, b);
  }

  // One method a level of precedence, the loosest first.
  int choice() {
    if (++depth_ > 60) fail("is nested more than 60 deep");
    int condition = either();
    if (take("?")) {
      need_condition(condition);
      int yes = choice();
      need(":");
      int no = choice();
      if (type(yes) != type(no)) {
        need_number(yes);
        need_number(no);
        yes = real(yes);
        no = real(no);
      }
      condition = add(Op::choose, type(yes), condition, yes, no);
    }
    --depth_;
    return condition;
  }
  int either() {
    int left = both();
    while (take("||")) left = join_conditions(Op::logical_or, left, both());
    return left;
  }
  int both() {
    int left = equality();
    while (take("&&")) left = join_conditions(Op::logical_and, left, equality());
    return left;
  }
  int join_conditions(Op op, int a, int b) {
    need_condition(a);
    need_condition(b);
    return add(op, Type::boolean, a, b);
  }
  int equality() {
    int left = relation();
    while (true) {
      const Op op = take("==") ? Op::equal : take("!=") ? Op::not_equal : Op::boolean;
      if (op == Op::boolean) return left;
      left = join_numbers(op, left, relation(), true);
    }
  }
  int relation() {
    int left = sum();
    while (true) {
      if (take("<="))
        left = join_numbers(Op::less_equal, left, sum(), true);
      else if (take(">="))
        left = join_numbers(Op::less_equal, sum(), left, true);
      else if (take("<"))
        left = join_numbers(Op::less, left, sum(), true);
      else if (take(">"))
        left = join_numbers(Op::less, sum(), left, true);
      else
        return left;
    }
  }
  int sum() {
    int left = product();
    while (true) {
      if (take("+"))
        left = join_numbers(Op::add, left, product());
      else if (take("-"))
        left = join_numbers(Op::subtract, left, product());
      else
        return left;
    }
  }
  int product() {
    int left = unary();
    while (true) {
      if (take("*"))
        left = join_numbers(Op::multiply, left, unary());
      else if (take("/"))
        left = join_numbers(Op::divide, left, unary());
      else if (take("%"))
        left = join_numbers(Op::modulo, left, unary());
      else
        return left;
    }
  }
  int unary() {
    if (++depth_ > 60) fail("is nested more than 60 deep");
    int operand = -1;
    if (take("-")) {
      operand = unary();
      need_number(operand);
      operand = add(Op::negate, type(operand), operand);
    } else if (take("!")) {
      operand = unary();
      need_condition(operand);
      operand = add(Op::logical_not, Type::boolean, operand);
    } else {
      operand = primary();
    }
    --depth_;
    return operand;
  }

  int primary() {
    skip_spaces();
    if (take("(")) {
      const int inner = choice();
      need(")");
      return inner;
    }
    const auto is = [&](auto test) {
      return at_ < text_.size() && test(static_cast<unsigned char>(text_[at_]));
    };
    if (is([](unsigned char c) { return std::isdigit(c) != 0; })) return number();
    const std::size_t begin = at_;
    while (is([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; })) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "true" || name == "false")
      return add(Op::boolean, Type::boolean, -1, -1, -1, name == "true" ? 1 : 0);
    for (const Op op : {Op::query, Op::key, Op::head, Op::heads, Op::sequence})
      if (name == name_of(op)) return add(op, Type::integer);
    if (name == "score" && is_score_) return add(Op::score, Type::real);
    for (const Op op : {Op::document, Op::exp, Op::exp2, Op::tanh, Op::abs, Op::smaller, Op::larger})
      if (name == name_of(op)) return call(op);
    at_ = begin;
    fail(begin == text_.size() ? "expected a number, a name or `(`"
                               : "expected a number, `(`, or one of q, k, head, heads, sequence, document(), "
                                 "min(), max(), abs()" +
                                     std::string(is_score_ ? ", score, exp(), exp2(), tanh()" : ""));
  }

  int call(Op op) {
    need("(");
    int a = choice();
    need_number(a);
    int result = -1;
    if (op == Op::smaller || op == Op::larger) {
      need(",");
      result = join_numbers(op, a, choice());
    } else if (op == Op::document) {
      if (type(a) != Type::integer) fail("document() takes a whole number: the number of a query or key");
      result = add(op, Type::integer, a);
    } else if (op == Op::abs) {
      result = add(op, type(a), a);
    } else {
      a = real(a);
      result = add(op, Type::real, a);
    }
    need(")");
    return result;
  }

  int number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
    const bool whole = digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (error != std::errc() || value > (whole ? 2147483647.0 : 1e30)) fail("this number is too large");
    at_ += digits.size();
    if (!whole && !is_score_)
      fail("a mask compares whole numbers; write `10 * k <= 3 * q` for `k <= 0.3 * q`");
    return add(whole ? Op::integer : Op::real, whole ? Type::integer : Type::real, -1, -1, -1, value);
  }

  const char* kind_;
  std::string_view text_;
  bool is_score_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression out_;
};

inline Expression Expression::mask(std::string_view text) {
  return ExpressionParser("mask", text, false).parse();
}
inline Expression Expression::score(std::string_view text) {
  return ExpressionParser("score", text, true).parse();
}

inline std::string Expression::canonical(int index) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (!symbol_of(node.op).empty())
    return "(" + canonical(node.a) + " " + std::string(symbol_of(node.op)) + " " + canonical(node.b) + ")";
  switch (node.op) {
    case Op::boolean: return node.number != 0 ? "true" : "false";
    case Op::integer: return std::to_string(static_cast<std::int64_t>(node.number));
    case Op::real: return real_text(node.number);
    case Op::to_real: return canonical(node.a);
    case Op::negate: return "-" + canonical(node.a);
    case Op::logical_not: return "!" + canonical(node.a);
    case Op::choose:
      return "(" + canonical(node.a) + " ? " + canonical(node.b) + " : " + canonical(node.c) + ")";
    default: break;
  }
  std::string text(name_of(node.op));
  if (node.a < 0) return text;
  text += "(" + canonical(node.a);
  if (node.b >= 0) text += ", " + canonical(node.b);
  return text + ")";
}

}  // namespace masks
