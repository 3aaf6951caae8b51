// Markdown text: untrusted words made safe for GitHub-flavoured Markdown, and grids as tables. Nothing
// that comes in can end a cell, open a tag, mention a person or start a list. Pure.
#pragma once

#include <string>
#include <string_view>

#include "harness/model/document.h"

namespace harness::report {

// Prose: punctuation that Markdown or HTML acts on becomes entities, "@" mentions nobody, newlines and
// control characters are made visible. Text between `backticks` becomes code.
std::string markdown_prose(std::string_view raw);

// A name as code: a code span where the name allows one, else <code> with entities. Long names lose
// their middle.
std::string markdown_code(std::string_view raw, std::size_t longest = 200);

// One table of all columns; sections with headings become rows of their own.
std::string markdown_table(const Grid& grid);

// "<details><summary>...</summary> ... </details>". `summary` must be safe already.
std::string markdown_details(const std::string& summary, const std::string& body);

}  // namespace harness::report
