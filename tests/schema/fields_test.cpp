// Lists of fields: what they write, what they read and what they refuse, on structs of this test.
#include "harness/schema/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filled.h"
#include "harness/schema/field_texts.h"
#include "member_count.h"
#include "place_of.h"

namespace harness {

enum class Colour { red, green };
template <>
inline constexpr auto enum_names<Colour> = names<Colour>({{Colour::red, "red"}, {Colour::green, "green"}});

struct Inner {
  std::string name;
  double value = 1;

  bool operator==(const Inner&) const = default;
};

struct Outer {
  int count = 3;
  bool flag = false;
  std::optional<double> share;
  Colour colour = Colour::red;
  std::array<std::int64_t, 3> extent{};
  std::vector<Inner> inner;
  std::vector<Inner> named;
  std::map<std::string, double> map;
  sdk::Params params;
  std::vector<int> numbers;
  std::string later;

  bool operator==(const Outer&) const = default;
};

template <>
struct Described<Inner> {
  static constexpr auto fields = list_fields<Inner>(JsonLayout::line, field("name", &Inner::name).required(),
                                                    field("value", &Inner::value));
};

template <>
struct Described<Outer> {
  static constexpr auto fields = list_fields<Outer>(
      JsonLayout::lines,
      field("count", &Outer::count).at_least(1).within(1, 9).called("how.many").says("A count."),
      field("flag", &Outer::flag).unless_default(),
      field("share", &Outer::share).null_when_default().in(Unit::share),
      field("colour", &Outer::colour).as<KnownNameOrDefault>(), field("extent", &Outer::extent),
      field("inner", &Outer::inner).checked([](const JsonNode& node, const std::vector<Inner>& all) {
        expect_unique(node, all, &Inner::name, "name");
      }),
      field("named", &Outer::named).as<ByName>(), field("map", &Outer::map), field("params", &Outer::params),
      field("numbers", &Outer::numbers).unless_default(),
      field("later", &Outer::later).when([](const Outer& outer) { return outer.count != 3; }));
};

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct OneShort {
  int listed = 0;
  std::optional<std::string> forgotten;
};

struct OneTwice {
  int listed = 0;
  int forgotten = 0;
};

}  // namespace

template <>
struct Described<OneShort> {
  static constexpr auto fields = list_fields<OneShort>(JsonLayout::line, field("listed", &OneShort::listed));
};

template <>
struct Described<OneTwice> {
  static constexpr auto fields = list_fields<OneTwice>(JsonLayout::line, field("listed", &OneTwice::listed),
                                                       field("forgotten", &OneTwice::listed));
};

namespace {

static_assert(member_count<Outer>() == 11);
static_assert(lists_every_member<Outer>() && lists_every_member<Inner>());
static_assert(!lists_every_member<OneShort>() && !lists_every_member<OneTwice>());

std::string encode(const Outer& outer) {
  JsonWriter json;
  write_json(json, outer);
  return json.take();
}

Result<Outer> decode(std::string_view text) {
  const auto reader = JsonReader::parse(text, {"outer.json"});
  if (!reader) return fail(reader.error());
  Outer outer;
  read_json((*reader)->root(), outer);
  return (*reader)->finish(outer);
}

// The member that is refused.
std::string refused(std::string_view text) {
  const Result<Outer> outer = decode(text);
  return outer ? "nothing" : place_of(outer.error());
}

TEST(Fields, AreWrittenInTheirOrderAndLayout) {
  EXPECT_EQ(encode(Outer{}), R"({
  "count": 3,
  "share": null,
  "colour": "red",
  "extent": [0, 0, 0],
  "inner": [],
  "named": {},
  "map": {},
  "params": {}
})");
  EXPECT_EQ(encode(filled<Outer>()), R"({
  "count": 1002,
  "flag": true,
  "share": 5.125,
  "colour": "green",
  "extent": [1008, 1009, 1010],
  "inner": [
    {"name": "000000000000000000000000000000000000000d", "value": 14.125},
    {"name": "0000000000000000000000000000000000000010", "value": 17.125}
  ],
  "named": {
    "0000000000000000000000000000000000000014": 21.125,
    "0000000000000000000000000000000000000017": 24.125
  },
  "map": {
    "key 26": 27.125,
    "key 28": 29.125
  },
  "params": {"integer": 30, "real": 2.0, "text": "30", "flag": true},
  "numbers": [1032, 1033],
  "later": "0000000000000000000000000000000000000022"
})");
}

TEST(Fields, MayBeDerivedAndGroupedWhereTheyAreOnlyWritten) {
  static constexpr auto list = list_fields<Inner>(
      JsonLayout::line, derived("twice", [](const Inner& one) { return 2 * one.value; }).null_when_default(),
      derived("words", [](const Inner& one) { return "is " + one.name; }),
      derived("empty", [](const Inner&) { return std::string(); }).unless_default(),
      group("both", Described<Inner>::fields));
  EXPECT_EQ(to_json(list, {"a", 0}, JsonLayout::line),
            R"({"twice": null, "words": "is a", "both": {"name": "a", "value": 0}})");
  EXPECT_EQ(to_json(list, {"", 2}, JsonLayout::line),
            R"({"twice": 4, "words": "is ", "both": {"name": "", "value": 2}})");
}

TEST(Fields, ReadBackAsTheyWereWritten) {
  const Outer full = filled<Outer>();
  EXPECT_THAT(fields_with_default(full), IsEmpty());
  EXPECT_EQ(decode(encode(full)).value(), full);
  EXPECT_EQ(decode(encode(Outer{})).value(), Outer{});
  EXPECT_EQ(decode("{}").value(), Outer{}) << "what is absent keeps its default";
}

TEST(Fields, NameThePathOfWhatIsWrong) {
  EXPECT_EQ(refused(R"({"count": 0})"), "count");
  EXPECT_EQ(refused(R"({"inner": [{"value": 1}]})"), "inner[0]");
  EXPECT_EQ(refused(R"({"inner": [{"name": "a"}, {"name": "b"}, {"name": "a"}]})"), "inner[2]");
  EXPECT_EQ(refused(R"({"named": {"a": "1"}})"), "named.a");
  EXPECT_EQ(refused(R"({"extent": [1, 2, 3, 4]})"), "extent[3]");
  EXPECT_EQ(refused(R"({"flag": null})"), "flag");
  EXPECT_EQ(refused(R"({"numbers": {}})"), "numbers");
}

TEST(Fields, TakeAnUnknownNameOfALaterVersionForTheDefault) {
  EXPECT_EQ(decode(R"({"colour": "blue"})").value().colour, Colour::red);
}

TEST(FieldTexts, TellDefaultsKeysAndLimits) {
  const std::vector<FieldText> texts = field_texts<Outer>();
  ASSERT_EQ(texts.size(), 11U);
  EXPECT_EQ(texts[0].key, "how.many");
  EXPECT_EQ(texts[0].doc, "A count.");
  EXPECT_EQ(texts[0].fallback, "3");
  EXPECT_EQ(texts[0].highest, 9);
  EXPECT_EQ(texts[1].kind, FieldKind::flag);
  EXPECT_EQ(texts[2].kind, FieldKind::number);
  EXPECT_EQ(texts[2].fallback, "");
  EXPECT_THAT(texts[3].choices, ElementsAre("red", "green"));
  EXPECT_EQ(texts[3].fallback, "red");
  EXPECT_EQ(texts[5].kind, FieldKind::objects);
  EXPECT_EQ(texts[9].kind, FieldKind::list);
}

TEST(FieldTexts, WriteQuantitiesAsSuitesDo) {
  EXPECT_EQ(quantity_text(0.3, Unit::seconds), "300ms");
  EXPECT_EQ(quantity_text(60, Unit::seconds), "60s");
  EXPECT_EQ(quantity_text(0, Unit::seconds), "0s");
  EXPECT_EQ(quantity_text(2e-5, Unit::seconds), "20us");
  EXPECT_EQ(quantity_text(0.005, Unit::share), "0.5%");
  EXPECT_EQ(quantity_text(5, Unit::none), "5");
}

}  // namespace
}  // namespace harness
