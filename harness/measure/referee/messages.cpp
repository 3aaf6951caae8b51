#include "harness/measure/referee/messages.h"

#include "harness/measure/schedule/paired_builds_fields.h"
#include "harness/measure/tensors/inputs.h"
#include "harness/model/codec.h"
#include "harness/model/fact_fields.h"
#include "harness/model/plan_fields.h"
#include "harness/schema/json_fields.h"

namespace harness {
namespace referee {
namespace {

// A cause alone is no object with members.
struct CauseText {
  Cause cause;
};

}  // namespace
}  // namespace referee

template <>
struct Described<referee::PlayerStart> {
  static constexpr auto fields = list_fields<referee::PlayerStart>(
      JsonLayout::line, field("device", &referee::PlayerStart::device).required(),
      field("build", &referee::PlayerStart::build).required(),
      field("case", &referee::PlayerStart::planned).required(), field("start", &referee::PlayerStart::start));
};

template <>
struct Described<referee::PlayerReady> {
  static constexpr auto fields = list_fields<referee::PlayerReady>(
      JsonLayout::line, field("end", &referee::PlayerReady::end),
      field("tensors", &referee::PlayerReady::tensors).required(),
      field("tolerance", &referee::PlayerReady::tolerance).unless_default(),
      field("workspace_bytes", &referee::PlayerReady::workspace_bytes).at_least(0),
      field("waits", &referee::PlayerReady::waits));
};

template <>
struct Described<referee::PlayerBlock> {
  static constexpr auto fields = list_fields<referee::PlayerBlock>(
      JsonLayout::line, field("handle", &referee::PlayerBlock::handle).required(),
      field("bytes", &referee::PlayerBlock::bytes).required().at_least(0),
      field("offsets", &referee::PlayerBlock::offsets));
};

template <>
struct Described<referee::CauseText> {
  static constexpr auto fields = list_fields<referee::CauseText>(
      JsonLayout::line, field("cause", &referee::CauseText::cause).required());
};

}  // namespace harness

namespace harness::referee {
namespace {

template <class T>
std::string to_line(const T& value) {
  return to_json(Described<T>::fields, value, JsonLayout::line);
}

template <class T>
Result<T> from_text(std::string_view text) {
  return from_json(Described<T>::fields, text, "player protocol");
}

}  // namespace

std::string encode(const PlayerStart& message) {
  return to_line(message);
}
std::string encode(const PlayerReady& message) {
  return to_line(message);
}
std::string encode(const PlayerBlock& message) {
  return to_line(message);
}
std::string encode_trouble(const Cause& cause) {
  return to_line(CauseText{cause});
}
Result<PlayerStart> decode_player_start(std::string_view text) {
  return from_text<PlayerStart>(text);
}
Result<PlayerReady> decode_player_ready(std::string_view text) {
  return from_text<PlayerReady>(text);
}
Result<PlayerBlock> decode_player_block(std::string_view text) {
  return from_text<PlayerBlock>(text);
}
Result<Cause> decode_trouble(std::string_view text) {
  Result<CauseText> trouble = from_text<CauseText>(text);
  if (!trouble) return fail(trouble.error());
  return std::move(trouble->cause);
}

std::string tensors_text(const sdk::Problem& problem) {
  std::string text;
  for (const sdk::TensorSpec& tensor : problem.tensors)
    text += std::to_string(static_cast<int>(tensor.role)) + " " + tensor_text(tensor);
  return text;
}

}  // namespace harness::referee
