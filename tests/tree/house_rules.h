// The rules of harness/README.md that hold for one file, as functions over its text. Each returns what is
// wrong, as "path:line: what".
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tree_files.h"

namespace harness::tree {

// Reads of the environment by other means than harness/base/environment.h.
std::vector<std::string> environment_reads(const SourceFile& file);

// The kind of device "cuda" as a literal.
std::vector<std::string> cuda_literals(const SourceFile& file);

// Places where a sentence for people is compared, searched or cut.
std::vector<std::string> read_sentences(const SourceFile& file);

// String literals of several words.
std::vector<std::string> english_literals(const SourceFile& file);

// Literals that name a document or a file of this tree that an installation does not have.
std::vector<std::string> uninstalled_files(const SourceFile& file);

// Sentences of comments (or of a Markdown file's prose) that are too long or start with nothing to hold on
// to.
std::vector<std::string> hard_sentences(const SourceFile& file);

// Files that a comment or a document names, by a path below harness/ or by a link, and that are not in
// `paths`.
std::vector<std::string> missing_files(const SourceFile& file, const std::set<std::string>& paths);

// Files that include each other in a circle. A header and the source of its name are one unit. A circle is
// the list of its units.
std::vector<std::vector<std::string>> include_circles(const std::vector<SourceFile>& files);

// Base names that occur in several folders, as "name: folder, folder".
std::vector<std::string> repeated_base_names(const std::vector<SourceFile>& files);

// Folders with more files than a reader can hold, with their number of files.
std::vector<std::pair<std::string, int>> large_folders(const std::vector<SourceFile>& files, int limit);

}  // namespace harness::tree
