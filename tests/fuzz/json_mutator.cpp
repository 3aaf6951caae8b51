// Changes inputs as JSON and not as bytes: members go, come twice in a list or get another kind of value, so
// that most inputs pass the parser and reach what is behind it. An input may begin with a word, as messages
// of the worker do. Other text is changed as bytes.
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Changes bytes; libFuzzer has it, and standalone.cpp.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using rapidjson::Value;

constexpr std::ptrdiff_t most_opened = 1000;  // deeper text would overflow the stack of a recursive walk

class JsonMutator {
 public:
  JsonMutator(rapidjson::Document& document, unsigned seed) : document_(document), random_(seed) {
    collect(document);
  }

  void change() {
    Value& value = *values_[below(values_.size())];
    if (value.IsObject() && value.MemberCount() > 0 && below(3) != 0) return change_object(value);
    if (value.IsArray() && !value.Empty() && below(3) != 0) return change_list(value);
    if (below(3) == 0)
      return void(value.CopyFrom(Value(*values_[below(values_.size())], memory()), memory()));
    value = interesting();
  }

 private:
  void collect(Value& value) {
    values_.push_back(&value);
    if (value.IsObject())
      for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(value.MemberCount()); ++i)
        collect((value.MemberBegin() + i)->value);
    if (value.IsArray())
      for (Value& element : value.GetArray()) collect(element);
  }

  void change_object(Value& object) {
    const auto member = object.MemberBegin() + static_cast<std::ptrdiff_t>(below(object.MemberCount()));
    switch (below(4)) {
      case 0: object.EraseMember(member); return;
      case 1: member->name.SetString("unknown", memory()); return;
      case 2: member->value = interesting(); return;
      default:  // the value of another member
        member->value =
            Value((object.MemberBegin() + static_cast<std::ptrdiff_t>(below(object.MemberCount())))->value,
                  memory());
    }
  }

  void change_list(Value& list) {
    const auto at = static_cast<rapidjson::SizeType>(below(list.Size()));
    switch (below(4)) {
      case 0: list.Erase(list.Begin() + at); return;
      case 1: list[at] = interesting(); return;
      case 2: list.PushBack(Value(list[at], memory()), memory()); return;
      default: list[at].Swap(list[static_cast<rapidjson::SizeType>(below(list.Size()))]);
    }
  }

  Value interesting() {
    static constexpr std::int64_t whole[] = {
        0, 1, -1, 2, 1000, 1001, 100000, 2147483647, 2147483648, -2147483648, INT64_MAX, INT64_MIN};
    static constexpr double reals[] = {0.0, -0.0, 0.5, 1e-300, 1e300, 5e-324, -1e9, 1.7976931348623157e308};
    static constexpr const char* texts[] = {"",      "a",  "time", "gpu_time", "us",
                                            "a/b=1", "\n", "\x7f", "\u200b",   "*"};
    switch (below(8)) {
      case 0: return Value(rapidjson::kNullType);
      case 1: return Value(below(2) == 0);
      case 2: return Value(rapidjson::kObjectType);
      case 3: return Value(rapidjson::kArrayType);
      case 4: return Value(whole[below(std::size(whole))]);
      case 5: return Value(reals[below(std::size(reals))]);
      case 6: return Value(static_cast<std::int64_t>(below(16)));
      default: return Value(texts[below(std::size(texts))], memory());
    }
  }

  rapidjson::Document::AllocatorType& memory() { return document_.GetAllocator(); }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  rapidjson::Document& document_;
  std::minstd_rand random_;
  std::vector<Value*> values_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t begin = std::min(text.find_first_of("{["), size);
  const auto opened = std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; });
  if (opened > most_opened || seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  rapidjson::MemoryStream stream(text.data() + begin, size - begin);
  rapidjson::Document document;
  document.ParseStream<rapidjson::kParseStopWhenDoneFlag>(stream);
  if (document.HasParseError()) return LLVMFuzzerMutate(data, size, most);
  JsonMutator(document, seed).change();
  rapidjson::StringBuffer written;
  rapidjson::Writer<rapidjson::StringBuffer> writer(written);
  document.Accept(writer);
  std::string changed(text.substr(0, begin));
  changed.append(written.GetString(), written.GetSize()).append(text.substr(begin + stream.Tell()));
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
