#include "harness/code/host/host_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <unordered_map>

#include "harness/base/bulk_hash.h"
#include "harness/code/host/exception_tables.h"
#include "harness/code/host/host_decode.h"
#include "harness/code/host/host_image.h"
#include "harness/code/kernel_code.h"

namespace harness {
namespace {

constexpr int nowhere = -1;  // no node

// Functions of the C library's start files. They do the same in every program, around addresses that differ.
bool is_of_start_files(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>({"_init", "_fini", "_start", "deregister_tm_clones",
                                                          "register_tm_clones", "__do_global_dtors_aux",
                                                          "frame_dummy", "_dl_relocate_static_pie"});
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_text(std::string_view bytes) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char one) {
    return std::isspace(static_cast<unsigned char>(one)) != 0 || static_cast<unsigned char>(one) >= 0x20;
  });
}

bool is_variable_section(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>({".data", ".bss", ".ldata", ".lbss"});
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

struct HostCode::Graph {
  struct Edge {
    std::uint64_t at = 0;      // in the node
    int node = nowhere;        // that is meant
    std::uint64_t offset = 0;  // in that
    std::string label = {};    // of what is in no node: an import
  };

  struct Node {
    std::uint64_t start = 0, end = 0;
    std::vector<std::string> names = {};  // as source_name() writes them
    bool function = false;
    bool writable = false;
    bool known = false;        // the rest is read
    std::string content = {};  // hash of the bytes, without what refers to addresses
    std::vector<Edge> edges = {};
  };

  HostImage image;
  std::map<std::uint64_t, ExceptionTable> tables;
  std::map<std::uint64_t, std::vector<HostReference>> references;  // of functions, by start
  std::set<std::uint64_t> undecoded;
  std::vector<std::uint64_t> boundaries;  // in data, sorted
  std::set<std::uint64_t> read_places;    // that instructions read or write themselves
  NameSet counted;                        // keys of functions whose names count
  std::multimap<std::string, std::uint64_t, std::less<>> starts;               // of named parts
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> moved_parts;  // "f" -> parts of f elsewhere
  std::vector<Node> nodes;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> by_place;

  void prepare();
  int node_of(const HostPart& part, bool function);
  int chunk_at(std::uint64_t start, std::uint64_t end);
  void add_edge(Node& from, std::uint64_t at, std::uint64_t target, std::uint32_t reads, bool jumps);
  Edge edge_to(std::uint64_t at, std::uint64_t target, std::uint32_t reads, bool jumps);
  std::string import_of_stub(const ElfSection& section, std::uint64_t address);
  void read(int number, int from);
  void read_function(Node& node);
  void read_data(Node& node, const Node* user);
  bool read_jump_table(Node& node, std::string_view bytes, const Node& user);
  std::vector<int> named(std::string_view name);
  HostReach reach(const std::vector<int>& roots, const IsEnd& is_end);
};

// Functions are decoded at once: where data begins is known by what refers to it.
void HostCode::Graph::prepare() {
  std::set<std::uint64_t> found;
  for (const HostPart& one : image.functions) {
    auto decoded = host_references(image.bytes(one.start, one.end), one.start);
    if (!decoded) undecoded.insert(one.start);
    for (const HostReference& reference : decoded ? *decoded : std::vector<HostReference>())
      if (reference.reads == 0 && !reference.jumps)
        found.insert(reference.target);
      else if (!reference.jumps)
        read_places.insert(reference.target);
    if (decoded) references[one.start] = std::move(*decoded);
  }
  for (const auto& [place, relocation] : image.relocations)
    if (relocation.address != 0) found.insert(relocation.address);
  for (const HostPart& one : image.objects) found.insert({one.start, one.end});
  boundaries.assign(found.begin(), found.end());
  for (const std::vector<HostPart>* parts : {&image.functions, &image.objects})
    for (const HostPart& one : *parts)
      for (const std::string& name : one.names) {
        starts.emplace(source_name(name), one.start);
        constexpr std::string_view cold = ".cold";
        if (const std::size_t dot = name.rfind(cold); dot != std::string::npos)
          moved_parts[source_name(name.substr(0, dot))].push_back(one.start);
      }
}

int HostCode::Graph::node_of(const HostPart& part, bool function) {
  const auto [found, added] = by_place.try_emplace({part.start, part.end}, static_cast<int>(nodes.size()));
  if (!added) return found->second;
  Node node{.start = part.start, .end = part.end, .function = function};
  for (const std::string& name : part.names) node.names.push_back(source_name(name));
  const ElfSection* const section = image.section_at(part.start);
  node.writable = !function && section != nullptr && is_variable_section(section->name);
  nodes.push_back(std::move(node));
  return found->second;
}

int HostCode::Graph::chunk_at(std::uint64_t start, std::uint64_t end) {
  return node_of({start, end, {}}, false);
}

// A stub jumps to where a slot says, which a relocation fills.
std::string HostCode::Graph::import_of_stub(const ElfSection& section, std::uint64_t address) {
  for (std::uint64_t bytes = 16; bytes >= 6; --bytes) {
    const std::uint64_t end = std::min(address + bytes, section.address + section.size);
    const auto decoded = host_references(image.bytes(address, end), address);
    if (!decoded) continue;
    for (const HostReference& one : *decoded)
      if (const auto slot = image.relocations.find(one.target); one.jumps && slot != image.relocations.end())
        return slot->second.import;
  }
  return {};
}

HostCode::Graph::Edge HostCode::Graph::edge_to(std::uint64_t at, std::uint64_t target, std::uint32_t reads,
                                               bool jumps) {
  Edge edge{.at = at};
  const ElfSection* section = image.section_at(target);
  if (section == nullptr) {
    // One past the end of a section is the end of its last object.
    const HostPart* const last = target > 0 ? image.object_at(target - 1) : nullptr;
    if (last == nullptr) {
      edge.label = "an address outside";
      return edge;
    }
    edge.node = node_of(*last, false);
    edge.offset = target - last->start;
    return edge;
  }
  if (is_device_section(section->name)) {
    edge.label = "device code";
    return edge;
  }
  if ((section->flags & SHF_EXECINSTR) != 0) {
    if (section->name.starts_with(".plt"))
      if (edge.label = import_of_stub(*section, target); !edge.label.empty()) return edge;
    if (const HostPart* const function = image.function_at(target)) {
      edge.node = node_of(*function, true);
      edge.offset = target - function->start;
      return edge;
    }
  }
  if (const HostPart* const object = image.object_at(target)) {
    edge.node = node_of(*object, false);
    edge.offset = target - object->start;
    return edge;
  }
  const std::uint64_t end_of_section = section->address + section->size;
  std::uint64_t end = target + reads;
  if (reads == 0 || jumps) {
    const auto next = std::upper_bound(boundaries.begin(), boundaries.end(), target);
    end = next == boundaries.end() ? end_of_section : *next;
    const std::string_view rest = image.bytes(target, end_of_section);
    if (const std::size_t zero = rest.find('\0'); zero != std::string_view::npos) {
      end = std::max(end, target + zero + 1);
      // Behind a text stand constants, which instructions read one by one.
      const auto constant = read_places.lower_bound(target + zero + 1);
      if (constant != read_places.end() && *constant < end && is_text(rest.substr(0, zero)) &&
          rest.substr(zero, *constant - target - zero).find_first_not_of('\0') == std::string_view::npos)
        end = *constant;
    }
  }
  edge.node = chunk_at(target, std::min(end, end_of_section));
  return edge;
}

void HostCode::Graph::add_edge(Node& from, std::uint64_t at, std::uint64_t target, std::uint32_t reads,
                               bool jumps) {
  from.edges.push_back(edge_to(at, target, reads, jumps));
}

void HostCode::Graph::read_function(Node& node) {
  std::string bytes(image.bytes(node.start, node.end));
  if (undecoded.contains(node.start)) {
    // Nobody knows what it refers to, so its place counts.
    node.content = fmt::format("undecoded at {:x} {}", node.start, bulk_hash(bytes));
    return;
  }
  for (const HostReference& one : references[node.start]) {
    if (one.at + one.bytes <= bytes.size()) bytes.replace(one.at, one.bytes, one.bytes, '\0');
    add_edge(node, one.at, one.target, one.reads, one.jumps);
  }
  if (const auto table = tables.find(node.start); table != tables.end()) {
    bytes += table->second.content;
    for (std::size_t i = 0; i < table->second.types.size(); ++i)
      if (const std::uint64_t type = table->second.types[i]; type != 0)
        add_edge(node, bytes.size() + i, type, 8, false);
  }
  for (const std::string& name : node.names)
    if (const auto parts = moved_parts.find(name); parts != moved_parts.end())
      for (const std::uint64_t part : parts->second) add_edge(node, bytes.size(), part, 0, true);
  node.content = bulk_hash(bytes);
}

// A table of jumps holds distances from itself to places in the function that uses it.
bool HostCode::Graph::read_jump_table(Node& node, std::string_view bytes, const Node& user) {
  if (!user.function || bytes.size() < 8 || node.start % 4 != 0) return false;
  std::string text;
  std::vector<std::uint64_t> elsewhere;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::int32_t distance = 0;
    std::memcpy(&distance, bytes.data() + at, sizeof distance);
    const std::uint64_t target = node.start + static_cast<std::uint64_t>(std::int64_t{distance});
    if (target >= user.start && target < user.end) {
      text += fmt::format("jump {}\n", target - user.start);
      continue;
    }
    const HostPart* const part = image.function_at(target);
    const bool moved =
        part != nullptr && std::any_of(part->names.begin(), part->names.end(), [](const std::string& name) {
          return name.find(".cold") != std::string::npos;
        });
    if (!moved) {
      if (at < 8) return false;
      break;  // behind the table
    }
    text += fmt::format("moved {}\n", target - part->start);
    elsewhere.push_back(target);
  }
  for (const std::uint64_t target : elsewhere) add_edge(node, text.size(), target, 0, true);
  node.content = bulk_hash(text);
  return true;
}

void HostCode::Graph::read_data(Node& node, const Node* user) {
  const ElfSection* const section = image.section_at(node.start);
  std::string bytes(image.bytes(node.start, node.end));
  const auto first = image.relocations.lower_bound(node.start);
  const bool relocated = first != image.relocations.end() && first->first < node.end;
  if (node.names.empty() && !relocated && user != nullptr && read_jump_table(node, bytes, *user)) return;
  for (auto one = first; one != image.relocations.end() && one->first < node.end; ++one) {
    const std::uint64_t at = one->first - node.start;
    if (at + 8 <= bytes.size()) bytes.replace(at, 8, 8, '\0');
    if (one->second.import.empty())
      add_edge(node, at, one->second.address, 0, false);
    else
      node.edges.push_back({.at = at, .label = one->second.import});
  }
  if (!relocated) bytes = source_name(bytes);
  if (node.names.empty())  // what fills up to the next part depends on that
    while (bytes.ends_with('\0')) bytes.pop_back();
  const bool empty = section == nullptr || section->type == SHT_NOBITS;
  node.content = empty ? fmt::format("zeros {}", node.end - node.start) : bulk_hash(bytes);
}

// Edges may add nodes, so a node is read as a copy.
void HostCode::Graph::read(int number, int from) {
  if (nodes[static_cast<std::size_t>(number)].known) return;
  Node node = nodes[static_cast<std::size_t>(number)];
  node.known = true;
  const Node user = from == nowhere ? Node{} : nodes[static_cast<std::size_t>(from)];
  if (node.function)
    read_function(node);
  else
    read_data(node, from == nowhere ? nullptr : &user);
  nodes[static_cast<std::size_t>(number)] = std::move(node);
}

std::vector<int> HostCode::Graph::named(std::string_view name) {
  std::vector<int> found;
  const auto [begin, end] = starts.equal_range(name);
  for (auto one = begin; one != end; ++one) {
    const HostPart* part = image.function_at(one->second);
    const bool function = part != nullptr;
    if (!function) part = image.object_at(one->second);
    if (part != nullptr) found.push_back(node_of(*part, function));
  }
  return found;
}

// The text that the digest is of numbers nodes in the order in which they are met, so that addresses and
// names do not count.
HostReach HostCode::Graph::reach(const std::vector<int>& roots, const IsEnd& is_end) {
  HostReach found;
  std::unordered_map<int, std::size_t> numbers;
  std::vector<std::pair<int, int>> queue;  // with the node that led there
  std::string text;
  const auto end_name = [&](const Node& node) -> const std::string* {
    if (!node.function) return nullptr;
    for (const std::string& name : node.names)
      if (is_of_start_files(name) || (is_end && is_end(name))) return &name;
    return nullptr;
  };
  const auto meet = [&](int node, int from) {
    if (numbers.try_emplace(node, numbers.size()).second) queue.emplace_back(node, from);
  };
  for (const int root : roots)
    if (end_name(nodes[static_cast<std::size_t>(root)]) == nullptr) meet(root, nowhere);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const auto [number, from] = queue[next];
    read(number, from);
    // A copy: meeting others reads none, but the list of nodes may grow meanwhile.
    const Node node = nodes[static_cast<std::size_t>(number)];
    if (node.function) found.functions.insert(node.names.begin(), node.names.end());
    if (node.writable) found.writable.insert(node.names.begin(), node.names.end());
    text += fmt::format("{} {}\n", node.function, node.content);
    // A kernel and a variable of the device are known to the runtime by the address of a part of the host,
    // which holds nothing of them.
    for (const std::string& name : node.names)
      if (node.writable || (node.function && counted.contains(kernel_key(name)))) text += name + "\n";
    for (const Edge& edge : node.edges) {
      if (edge.node == nowhere) {
        found.imports.insert(edge.label);
        text += fmt::format("{} {}\n", edge.at, edge.label);
        continue;
      }
      if (const std::string* const name = end_name(nodes[static_cast<std::size_t>(edge.node)])) {
        text += fmt::format("{} end {} {}\n", edge.at, *name, edge.offset);
        continue;
      }
      meet(edge.node, number);
      text += fmt::format("{} to {} {}\n", edge.at, numbers[edge.node], edge.offset);
    }
  }
  found.digest = bulk_hash(text);
  return found;
}

HostCode::HostCode(std::unique_ptr<Graph> graph) : graph_(std::move(graph)) {}
HostCode::HostCode(HostCode&&) noexcept = default;
HostCode& HostCode::operator=(HostCode&&) noexcept = default;
HostCode::~HostCode() = default;

Result<HostCode> HostCode::read(std::span<const std::byte> bytes) {
  auto graph = std::make_unique<Graph>();
  Result<HostImage> image = read_host_image(bytes);
  if (!image) return fail(image.error());
  graph->image = std::move(*image);
  auto tables = exception_tables(graph->image);
  if (!tables) return fail(tables.error());
  graph->tables = std::move(*tables);
  graph->prepare();
  return HostCode(std::move(graph));
}

void HostCode::count_names(const NameSet& keys) {
  graph_->counted = keys;
}

bool HostCode::has(std::string_view function) const {
  return graph_->starts.contains(function);
}

std::vector<std::string> HostCode::functions_with_prefix(std::string_view prefix) const {
  std::vector<std::string> found;
  for (auto one = graph_->starts.lower_bound(prefix);
       one != graph_->starts.end() && one->first.starts_with(prefix); ++one)
    if (found.empty() || found.back() != one->first) found.push_back(one->first);
  return found;
}

HostReach HostCode::reach(const std::vector<std::string>& roots, const IsEnd& is_end) const {
  std::vector<int> nodes;
  for (const std::string& root : roots)
    for (const int one : graph_->named(root)) nodes.push_back(one);
  return graph_->reach(nodes, is_end);
}

HostReach HostCode::reach_of_outside(const IsEnd& is_end) const {
  std::vector<int> nodes;
  const auto add = [&](const std::string& name) {
    for (const int one : graph_->named(source_name(name))) nodes.push_back(one);
  };
  for (const std::string& name : graph_->image.exports) add(name);
  add("main");
  for (const std::uint64_t address : graph_->image.initialisers)
    if (const HostPart* const function = graph_->image.function_at(address))
      nodes.push_back(graph_->node_of(*function, true));
  return graph_->reach(nodes, is_end);
}

std::string HostCode::content_of(std::string_view name) const {
  std::string text;
  for (const int one : graph_->named(name)) {
    graph_->read(one, nowhere);
    const Graph::Node node = graph_->nodes[static_cast<std::size_t>(one)];
    text += node.content;
    for (const Graph::Edge& edge : node.edges) {
      if (edge.node == nowhere) {
        text += fmt::format(" {}", edge.label);
        continue;
      }
      graph_->read(edge.node, one);
      const Graph::Node& other = graph_->nodes[static_cast<std::size_t>(edge.node)];
      text += fmt::format(" {}+{}", other.names.empty() ? other.content : other.names[0], edge.offset);
    }
  }
  return text.empty() ? text : bulk_hash(text);
}

NameSet HostCode::variables_of(std::string_view function) const {
  NameSet names;
  for (const int one : graph_->named(function)) {
    graph_->read(one, nowhere);
    for (const Graph::Edge& edge : graph_->nodes[static_cast<std::size_t>(one)].edges) {
      if (edge.node == nowhere) continue;
      const Graph::Node& other = graph_->nodes[static_cast<std::size_t>(edge.node)];
      if (other.writable) names.insert(other.names.begin(), other.names.end());
    }
  }
  return names;
}

}  // namespace harness
