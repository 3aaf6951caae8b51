#include "harness/model/results/kernel_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/text.h"

namespace harness {
namespace {

constexpr std::size_t hash_digits = 4;

// The text before the parameters, which are the last part in parentheses.
std::string_view without_parameters(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

// Up to the first "<" that opens the template arguments of the last name.
std::size_t begin_of_arguments(std::string_view name) {
  if (!name.ends_with('>')) return std::string_view::npos;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string_view last_name(std::string_view name) {
  const std::size_t end = name.find_last_of(": ");
  return end == std::string_view::npos ? name : name.substr(end + 1);
}

// "cos_kernel" of "4, std::array<char, 2ul>, at::native::cos_kernel(int)": the last name of the first
// argument that is in a namespace other than std. Empty where there is none.
std::string_view first_qualified(std::string_view arguments) {
  constexpr std::string_view name_ends = "<>,(){}&*# ";
  while (true) {
    const std::size_t scope = arguments.find("::");
    if (scope == std::string_view::npos) return {};
    const std::size_t before = arguments.find_last_of(name_ends, scope);
    const std::string_view rest = arguments.substr(before == std::string_view::npos ? 0 : before + 1);
    const std::string_view name = rest.substr(0, rest.find_first_of(name_ends));
    if (!name.starts_with("std::") && !name.starts_with("::") && !name.ends_with("::"))
      return last_name(name);
    arguments = rest.substr(name.size());
  }
}

bool says_nothing(std::string_view name) {
  static constexpr std::array<std::string_view, 4> general{"Kernel", "Kernel2", "kernel", "device_kernel"};
  return std::find(general.begin(), general.end(), name) != general.end();
}

std::string shape_text(const std::array<std::int64_t, 3>& shape) {
  std::size_t count = shape.size();
  while (count > 1 && shape.at(count - 1) == 1) --count;
  return fmt::format("{}", fmt::join(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count), "x"));
}

}  // namespace

std::string kernel_label(const std::string& demangled) {
  const std::string_view whole = without_parameters(demangled);
  const std::size_t arguments = begin_of_arguments(whole);
  if (arguments == std::string_view::npos) return printable(last_name(whole));
  const std::string_view name = last_name(whole.substr(0, arguments));
  const std::string_view inside = whole.substr(arguments + 1);
  const std::string_view within = first_qualified(inside);
  std::string label = printable(name);
  if (says_nothing(name))
    label = printable(last_name(inside.substr(0, inside.find_first_of("<>,"))));
  else if (!within.empty())
    label += ":" + printable(within);
  return label + "~" + content_hash(demangled).substr(0, hash_digits);
}

std::string launch_label(const KernelUse& kernel) {
  return fmt::format("/grid={}/block={}", shape_text(kernel.grid), shape_text(kernel.block));
}

}  // namespace harness
