// A C++ source taken apart: its code, its string literals and its comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::tree {

struct Piece {
  int line = 0;
  std::string text;
};

struct SourceParts {
  std::string code;             // comments removed, literals empty, lines kept
  std::vector<Piece> literals;  // without quotes; names of included files are none
  std::vector<Piece> comments;  // neighbouring lines of // joined into one text
};

SourceParts take_apart(std::string_view text);

// The comments of a script: neighbouring lines that begin with # or // joined into one text.
std::vector<Piece> line_comments(std::string_view script);

// The sentences of a comment or a paragraph: parts that end in a full stop, a colon, or ! or ?.
std::vector<std::string> sentences(std::string_view text);

// The prose of a Markdown file, a paragraph or a list entry each: no code, no tables, no headings.
std::vector<Piece> paragraphs(std::string_view markdown);

}  // namespace harness::tree
