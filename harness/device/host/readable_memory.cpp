#include "harness/device/host/readable_memory.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/text.h"

namespace harness {
namespace {

// The number in base 16 at the beginning of `text`, which then begins behind it.
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::vector<AddressRange> readable_ranges(std::string_view maps) {
  std::vector<AddressRange> ranges;
  for (const std::string& line : split(std::string(maps), '\n')) {
    std::string_view rest = line;
    const std::uint64_t begin = take_number(rest);
    if (!rest.starts_with('-')) continue;
    rest.remove_prefix(1);
    const std::uint64_t end = take_number(rest);
    if (end <= begin || !rest.starts_with(" r") || rest.find("/dev/nvidia") != std::string_view::npos)
      continue;
    ranges.push_back({begin, end - begin});
  }
  return ranges;
}

std::vector<AddressRange> readable_host_memory() {
  std::ifstream in("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return readable_ranges(text);
}

}  // namespace harness
