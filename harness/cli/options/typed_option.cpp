#include "harness/cli/options/typed_option.h"

#include <charconv>

namespace harness {

CLI::Validator whole_number(long long least, long long most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    long long value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size() && !text.empty();
    if (!whole || code == std::errc::invalid_argument)
      return fmt::format("`{}` is not a whole number", printable(text));
    if (code == std::errc{} && value >= least && value <= most) return {};
    return fmt::format("{} is not from {} to {}", printable(text), least, most);
  };
  return {check, fmt::format("INT in [{} - {}]", least, most)};
}

}  // namespace harness
