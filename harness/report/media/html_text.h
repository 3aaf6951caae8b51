// Plain elements of HTML: what a page without the template is made of. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/model/document.h"

namespace harness::report {

// Markup becomes text.
std::string escaped(std::string_view raw);

// The CSS class of a paint: "bad".
std::string_view class_of(Paint paint);

// <name class="...">text</name>; nothing for an empty text.
std::string element(std::string_view name, std::string_view raw, Paint paint = Paint::plain);

std::string list_of(const std::vector<std::string>& lines);

// All of a document.
std::string plain_elements(const Document& document);

// `body` is markup.
std::string plain_page(const std::string& title, const std::string& body);

}  // namespace harness::report
