#include "harness/schema/json_reader.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace harness {
namespace {

Error refusal(const std::string& text) {
  const auto reader = JsonReader::parse(text, {"file.json"});
  return reader ? Error{ErrorKind::internal, "read", {}, {}} : reader.error();
}

TEST(JsonReader, RefusesANameThatAnObjectHasTwice) {
  const Error plain = refusal("{\"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3}");
  EXPECT_EQ(plain.kind, ErrorKind::usage);
  EXPECT_EQ(plain.where.line, 3);
  EXPECT_GT(plain.where.column, 1);
  for (const char* const text :
       {R"({"one": {"x": 1, "x": 2}})", R"([{"code": "a", "figure": 1, "figure": 1}])"}) {
    const Location where = refusal(text).where;
    EXPECT_EQ(where.line, 1);
    EXPECT_GT(where.column, 16) << "at the second name, not at the object";
  }
  EXPECT_EQ(refusal("[{\"a\": 1}, {\"a\": [{\"a\": 1, \"\\u0061\": 2}]}]").kind, ErrorKind::usage);
  std::string wide = "{\"twice\": 0";
  for (int i = 0; i < 1000; ++i) wide += ", \"name" + std::to_string(i) + "\": 0";
  EXPECT_TRUE(JsonReader::parse(wide + "}", {}));
  EXPECT_FALSE(JsonReader::parse(wide + ", \"twice\": 0}", {}));
  EXPECT_TRUE(JsonReader::parse("[{\"a\": 1}, {\"a\": 2, \"b\": {\"a\": 3}}, {\"a\": 4}]", {}));
}

TEST(JsonReader, RefusesDeepNestingBeforeItTakesMemory) {
  for (const char* const open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    const Error error = refusal(text);
    EXPECT_EQ(error.kind, ErrorKind::usage);
    EXPECT_LT(error.where.column, 2000) << "it was read to its end";
  }
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_TRUE(JsonReader::parse(deep, {}));
}

// Readers use the memory of those before.
TEST(JsonReader, KeepsItsDocumentWhileOthersAreRead) {
  const auto list_of = [](const std::string& one, int count) {
    std::string text = "[\"" + one + "\"";
    for (int i = 1; i < count; ++i) text += ", \"" + one + "\"";
    return text + "]";
  };
  const auto texts_in = [](const std::unique_ptr<JsonReader>& reader) { return reader->root().texts(); };
  auto first = JsonReader::parse(list_of("a text of the first document", 3), {});
  ASSERT_TRUE(first);
  auto second = JsonReader::parse(list_of("b", 10'000), {});
  ASSERT_TRUE(second);
  EXPECT_EQ(texts_in(*first), std::vector<std::string>(3, "a text of the first document"));
  first->reset();
  const auto third = JsonReader::parse(list_of("c", 4), {});
  ASSERT_TRUE(third);
  EXPECT_EQ(texts_in(*second), std::vector<std::string>(10'000, "b"));
  second->reset();
  const auto fourth = JsonReader::parse(list_of("d", 2), {});
  ASSERT_TRUE(fourth);
  EXPECT_EQ(texts_in(*third), std::vector<std::string>(4, "c"));
  EXPECT_EQ(texts_in(*fourth), std::vector<std::string>(2, "d"));
}

TEST(JsonReader, FindsMembersWhateverTheirOrder) {
  const std::vector<std::string_view> names{"a", "b", "c", "d"};
  const auto found_in = [&](const std::string& text) {
    const auto reader = JsonReader::parse(text, {});
    std::vector<const JsonValue*> found(names.size());
    const JsonNode root = (*reader)->root();
    root.find_all(names, found);
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
      all += found[i] == nullptr ? "-" : std::to_string(root.member(names[i], found[i]).integer<int>());
    return all + ((*reader)->error() ? " " + (*reader)->error()->message : "");
  };
  EXPECT_EQ(found_in(R"({"a": 1, "b": 2, "c": 3, "d": 4})"), "1234");
  EXPECT_EQ(found_in(R"({"b": 2, "d": 4})"), "-2-4");
  EXPECT_EQ(found_in(R"({"d": 4, "c": 3, "a": 1})"), "1-34");
  EXPECT_EQ(found_in(R"({"later": 9, "a": 1, "c": 3})"), "1-3-");
  EXPECT_EQ(found_in(R"({"a": 1, "c": 3, "b": 2, "ab": 9})"), "123-");
  EXPECT_EQ(found_in("{}"), "----");
  EXPECT_EQ(found_in("[1]"), "---- the document is an array; expected an object");
}

// ASCII is read by 16 characters at a time.
TEST(JsonReader, ReadsTextsOfAnyLengthAndRefusesBrokenOnes) {
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string plain(length, 'x');
    for (const auto& [written, expected] : {std::pair(plain, plain),
                                            {plain + "\xC3\xA9", plain + "\xC3\xA9"},
                                            {plain + "\\n" + plain, plain + "\n" + plain},
                                            {"\\u00e9" + plain, "\xC3\xA9" + plain}}) {
      const auto reader = JsonReader::parse("{\"" + plain + "\": \"" + written + "\" }  ", {});
      ASSERT_TRUE(reader) << written;
      EXPECT_EQ((*reader)->root().find(plain).text(), expected);
    }
    const Error broken = refusal("{\"a\": \"" + plain + "\xC3\"}");
    EXPECT_EQ(broken.kind, ErrorKind::usage);
    EXPECT_EQ(broken.where.column, static_cast<int>(8 + length)) << "at the byte that is no UTF-8";
    EXPECT_EQ(refusal("{\"a\": \"" + plain).kind, ErrorKind::usage);
    for (char control = 1; control < 0x20; ++control) {
      const Error raw = refusal("{\"a\": \"" + plain + control + std::string(20, 'x') + "\"}");
      EXPECT_EQ(raw.kind, ErrorKind::usage) << "a raw " << int{control} << " in a text";
      EXPECT_EQ(raw.where.column, static_cast<int>(8 + length)) << int{control};
    }
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// The address space may grow by so many bytes; then each allocation fails.
void limit_memory(std::size_t bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

// Parses in a process with little memory. 0: std::bad_alloc.
int parse_with_little_memory(const std::string& text, std::size_t bytes) {
  limit_memory(bytes);
  try {
    return JsonReader::parse(text, {}) ? 1 : 2;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

TEST(JsonReader, ThrowsWhereMemoryIsUsedUp) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs all addresses";
  std::string list = "[0", texts = "[0", one = "[\"";
  for (int i = 0; i < 1'000'000; ++i) {
    list += ",1.5";
    texts += ",\"a text that is too long to stand in its value\"";
  }
  one += std::string(20'000'000, 'a') + "\"]";
  for (const std::string* text : {&list, &texts, &one})
    for (const std::size_t bytes : {1U << 10U, 1U << 20U, 8U << 20U})
      EXPECT_EXIT(std::_Exit(parse_with_little_memory(*text, bytes)), testing::ExitedWithCode(0), "")
          << text->size() << " " << bytes;
}

}  // namespace
}  // namespace harness
