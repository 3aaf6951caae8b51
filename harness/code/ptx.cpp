#include "harness/code/ptx.h"

#include <cctype>
#include <map>

#include "harness/base/bulk_hash.h"
#include "harness/base/text.h"

namespace harness {
namespace {

// "$L__BB12_3" names the third label of the twelfth function.
std::string without_function_numbers(std::string_view line) {
  constexpr std::string_view mark = "$L__BB";
  std::string text;
  while (true) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) return text + std::string(line);
    text += line.substr(0, at + mark.size());
    line.remove_prefix(at + mark.size());
    while (!line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0)
      line.remove_prefix(1);
  }
}

bool is_no_code(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with(".file") || line.starts_with(".loc");
}

// ".visible .entry _Z3addPf(" -> "_Z3addPf"
std::string_view entry_of(std::string_view line) {
  constexpr std::string_view mark = ".entry ";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + mark.size());
  return line.substr(0, line.find_first_of("( \t"));
}

}  // namespace

std::string architecture_of_ptx(std::string_view text) {
  constexpr std::string_view mark = ".target sm_";
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return "ptx";
  text.remove_prefix(at + mark.size());
  return "compute_" + std::string(text.substr(0, text.find_first_of(", \t\r\n")));
}

std::vector<KernelCode> kernels_of_ptx(std::string_view text) {
  text = text.substr(0, text.find('\0'));  // padding
  std::map<std::string, std::string> kernels;
  std::string rest, name;
  bool debug = false;
  int depth = 0;
  for (const std::string& whole : split(text, '\n')) {
    const std::string_view line = trim(whole);
    if (depth == 0 && line.starts_with(".section")) debug = true;  // of .debug_..., up to its brace
    const bool drop = debug || is_no_code(line);
    for (const char letter : line) depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
    if (debug && depth == 0 && line.ends_with('}')) {
      debug = false;
      continue;
    }
    if (drop) continue;
    if (const std::string_view entry = entry_of(line); !entry.empty()) name = source_name(entry);
    (name.empty() ? rest : kernels[name]) += source_name(without_function_numbers(line)) + "\n";
    if (depth == 0 && line.ends_with('}')) name.clear();
  }
  std::vector<KernelCode> found;
  for (const auto& [kernel, code] : kernels)
    found.push_back({kernel, bulk_hash(code), bulk_hash(code + rest), {}});
  return found;
}

}  // namespace harness
