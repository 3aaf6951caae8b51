#include "harness/cli/farm/element/sick_text.h"

#include "harness/model/fact_fields.h"

namespace harness {
namespace {

struct SickText {
  Sickness why;
};

}  // namespace

template <>
struct Described<SickText> {
  static constexpr auto fields =
      list_fields<SickText>(JsonLayout::line, field("why", &SickText::why).required());
};

std::string encode(const Sickness& why) {
  return to_json(Described<SickText>::fields, SickText{why}, JsonLayout::line);
}

std::optional<Sickness> decode_sickness(const std::string& text) {
  Result<SickText> read = from_json(Described<SickText>::fields, text, "a sick device");
  if (!read) return std::nullopt;
  return std::move(read->why);
}

}  // namespace harness
