#include "harness/cli/options/clock_option.h"

#include <charconv>

#include "harness/cli/options/typed_option.h"

namespace harness {
namespace {

constexpr unsigned highest_mhz = 100'000;
constexpr const char* name = "--lock-clocks";

Result<unsigned> parse_frequency(const std::string& text) {
  unsigned mhz = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), mhz);
  if (code == std::errc{} && end == text.data() + text.size() && mhz > 0 && mhz <= highest_mhz) return mhz;
  return fail(ErrorKind::usage, fmt::format("`{}` is not a frequency in MHz", printable(text)),
              "write --lock-clocks=1485, or --lock-clocks for three quarters of the highest");
}

}  // namespace

void ClockOption::add_to(CLI::App& command) {
  const auto take = [this](const std::string& text) {
    lock = true;
    if (text == "true") return;  // CLI11's value of a flag without one
    const Result<unsigned> parsed = parse_frequency(text);
    if (!parsed) throw OptionError(name, parsed.error());
    mhz = *parsed;
  };
  const std::string description =
      "lock the GPU's SM clock during the run, at =MHZ or at three quarters of its highest; needs "
      "administrator rights, affects all users of the GPU, and is undone at the end";
  command.add_flag(name, description)->each(take)->type_name("[=MHZ]");
}

std::vector<std::string> ClockOption::words() const {
  if (!lock) return {};
  return {mhz == 0 ? name : fmt::format("{}={}", name, mhz)};
}

}  // namespace harness
