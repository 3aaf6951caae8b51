#include "harness/measure/worker/message_seal.h"

#include <fmt/format.h>

#include "harness/base/files.h"

namespace harness {
namespace {

constexpr std::string_view kind = "sealed ";

}  // namespace

// Hashed twice, so that nobody extends a line.
std::string MessageSeal::signature(std::string_view line) const {
  return content_hash(fmt::format("{} {}", key_, content_hash(fmt::format("{} {} {}", key_, count_, line))));
}

std::string MessageSeal::seal(std::string_view line) {
  std::string sealed = fmt::format("{}{} {}", kind, signature(line), line);
  ++count_;
  return sealed;
}

std::optional<std::string> MessageSeal::open(std::string_view sealed) {
  if (!is_sealed(sealed)) return std::nullopt;
  const std::string_view rest = sealed.substr(kind.size());
  const std::size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(space + 1);
  if (rest.substr(0, space) != signature(line)) return std::nullopt;
  ++count_;
  return std::string(line);
}

bool is_sealed(std::string_view line) {
  return line.starts_with(kind);
}

}  // namespace harness
