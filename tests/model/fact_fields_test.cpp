#include "harness/model/fact_fields.h"

#include <gmock/gmock.h>

#include <cmath>

#include "fact_matchers.h"
#include "harness/model/note.h"
#include "harness/model/record_fields.h"

namespace harness {
namespace {

std::string written(const Note& note) {
  JsonWriter json;
  write_json(json, note);
  return json.take();
}

Result<Note> read(const std::string& text) {
  const auto reader = JsonReader::parse(text, {"facts"});
  if (!reader) return fail(reader.error());
  Note note;
  read_json((*reader)->root(), note);
  return (*reader)->finish(note);
}

TEST(FactFields, OfASentenceIsText) {
  EXPECT_EQ(written(told_note("only 3 tiles fit")), R"("only 3 tiles fit")");
  EXPECT_EQ(read(R"("only 3 tiles fit")").value(), told_note("only 3 tiles fit"));
}

TEST(FactFields, OfACodeIsAnObjectOfItsFigures) {
  const Note note{NoteCode::forced_gates, {{"samples", 3}, {"deadline", 2.0}, {"text", "3"}}};
  EXPECT_EQ(written(note), R"({"code": "forced_gates", "samples": 3, "deadline": 2.0, "text": "3"})");
  EXPECT_EQ(read(written(note)).value(), note) << "a figure keeps its kind";
}

TEST(FactFields, ReadACodeOfANewerVersionAsItsName) {
  EXPECT_EQ(read(R"({"code": "from_tomorrow", "samples": 3})").value(), told_note("from_tomorrow"));
}

TEST(FactFields, ReadANumberThatIsNotFinite) {
  const Note note = read(R"({"code": "wide_intervals", "widest": null})").value();
  EXPECT_TRUE(std::isnan(note.number("widest")));
}

TEST(FactFields, RefusesWhatIsNoFact) {
  EXPECT_FALSE(read("3"));
  EXPECT_FALSE(read(R"({"samples": 3})"));
  EXPECT_FALSE(read(R"({"code": "forced_gates", "samples": [3]})"));
}

}  // namespace
}  // namespace harness
