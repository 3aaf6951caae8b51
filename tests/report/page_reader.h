// Reads a page back: what stands in its data element, inflated and parsed.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace harness::page {

inline constexpr std::string_view small_template =
    "<!doctype html><title>@HARNESS_TITLE@</title>"
    "<script id=\"harness-data\" type=\"application/octet-stream\">@HARNESS_DATA@</script><p>end</p>";

inline std::string from_base64(std::string_view text) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(text.size() % 4, 0U);
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const std::size_t value = letters.find(c);
    EXPECT_NE(value, std::string_view::npos) << "not base64: " << c;
    bits = bits << 6U | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return out;
}

inline std::string inflated(std::string packed) {
  std::string out, buffer(1U << 16U, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());  // NOLINT
  stream.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());  // NOLINT
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U) << "something follows the deflated text";
  inflateEnd(&stream);
  return out;
}

inline nlohmann::json document_of_data(std::string_view data) {
  return nlohmann::json::parse(inflated(from_base64(data)));
}

// The text between the tags of the data element. There must be one element, and it must end where the page
// goes on.
inline std::string_view data_of(std::string_view page) {
  static constexpr std::string_view before = "type=\"application/octet-stream\">";
  const std::size_t begin = page.find(before);
  EXPECT_NE(begin, std::string_view::npos);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = page.find("</script>", begin);
  return page.substr(begin + before.size(), end - begin - before.size());
}

// The samples of a process as page/src/decode.ts adds them up; NaN for null.
inline std::vector<double> values_of(const nlohmann::json& process) {
  std::vector<double> values;
  double sum = 0;
  for (const nlohmann::json& delta : process.at("deltas")) {
    if (!delta.is_null()) sum += delta.get<double>();
    values.push_back(delta.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : sum / process.at("per_unit").get<double>());
  }
  return values;
}

}  // namespace harness::page
