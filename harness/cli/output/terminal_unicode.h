// The characters that standard output can show.
#pragma once

namespace harness {

// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG, in this order) is one of UTF-8.
bool terminal_has_unicode();

}  // namespace harness
