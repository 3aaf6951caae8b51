#include "harness/code/kernel_sides.h"

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "harness/code/build_files.h"
#include "harness/code/fatbin.h"
#include "harness/code/kernel_code.h"
#include "harness/code/listing.h"
#include "harness/code/mapped_file.h"
#include "harness/device/code/elf_image.h"
#include "harness/device/code/kernel_launches.h"

namespace harness {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view function_prefix = ".text.";

struct FoundKernel {
  std::string architecture;
  int fit = 0;  // how well the architecture fits the device; 0: it does not run there
  KernelCode code;
  std::string text;  // its instructions
};
using FoundKernels = std::map<std::string, FoundKernel>;  // by demangled name

std::span<const std::byte> span_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

// "9.0" -> 90
int capability_number(std::string_view capability) {
  int major = 0, minor = 0;
  const char* const end = capability.data() + capability.size();
  const auto [rest, error] = std::from_chars(capability.data(), end, major);
  if (error == std::errc() && rest != end) std::from_chars(rest + 1, end, minor);
  return major * 10 + minor;
}

// A device runs code of its own capability, that made for it alone first, else of a lower one with the same
// major number.
int fit_of(std::string_view architecture, int device) {
  int number = 0;
  if (!architecture.starts_with("sm_")) return 0;
  const char* const end = architecture.data() + architecture.size();
  const auto [rest, error] = std::from_chars(architecture.data() + 3, end, number);
  if (error != std::errc() || number / 10 != device / 10 || number > device) return 0;
  const bool special = rest != end;  // "sm_90a"
  if (special && number != device) return 0;
  return 2 * (number % 10) + 1 + (special ? 1 : 0);
}

class Search {
 public:
  Search(const std::set<std::string>& wanted, int device) : wanted_(wanted), device_(device) {}

  void read(const fs::path& path) {
    const auto file = MappedFile::open(path);
    if (!file) return;
    const auto sections = elf_sections(file->bytes(), "the file");
    if (!sections) return;
    FoundKernels here;
    for (const ElfSection& one : *sections)
      if (one.name == ".nv_fatbin" || one.name == "__nv_relfatbin") read_containers(span_of(one.bytes), here);
    for (auto& [name, kernel] : here) {
      const auto [known, fresh] = found_.try_emplace(name, std::move(kernel));
      if (!fresh && known->second.code.whole != kernel.code.whole) ambiguous_.insert(name);
    }
  }

  // Null where no file has the kernel, and where files have different ones of its name: nobody knows which of
  // them was measured.
  [[nodiscard]] const FoundKernel* find(const std::string& name) const {
    const auto found = found_.find(name);
    return found == found_.end() || ambiguous_.contains(name) ? nullptr : &found->second;
  }

 private:
  void read_containers(std::span<const std::byte> bytes, FoundKernels& here) {
    const auto images = fatbin_images(bytes);
    if (!images) return;
    for (const FatbinImage& one : *images) {
      if (one.kind != ImageKind::cubin) continue;
      if (const auto content = content_of(one)) read_image(span_of(*content), here);
      leave_memory(span_of(one.stored));
    }
  }

  void read_image(std::span<const std::byte> image, FoundKernels& here) {
    const auto sections = all_elf_sections(image, "a cubin");
    if (!sections) return;
    std::map<std::string, std::pair<std::string, std::string_view>> named;  // name and code by source_name()
    for (const ElfSection& one : *sections) {
      if (!one.name.starts_with(function_prefix)) continue;
      const std::string mangled = source_name(one.name.substr(function_prefix.size()));
      if (std::string name = demangled(mangled); wanted_.contains(name))
        named[mangled] = {std::move(name), one.bytes};
    }
    if (named.empty()) return;
    const auto cubin = read_cubin(image);
    const int fit = cubin ? fit_of(cubin->architecture, device_) : 0;
    if (fit == 0) return;
    for (const KernelCode& one : cubin->kernels) {
      const auto at = named.find(one.name);
      if (at == named.end()) continue;
      FoundKernel& best = here[at->second.first];
      if (fit > best.fit) best = {cubin->architecture, fit, one, std::string(at->second.second)};
    }
  }

  const std::set<std::string>& wanted_;
  int device_;
  FoundKernels found_ = {};
  std::set<std::string> ambiguous_ = {};
};

Search search(const fs::path& root, const std::set<std::string>& wanted, int device) {
  Search found(wanted, device);
  const std::vector<BuildFile> files = files_of_build(root);
  for (const BuildFile& one : files)
    if (one.has_kernels) found.read(root / one.name);
  return found;
}

}  // namespace

std::vector<CodeSides> kernel_sides(const fs::path& baseline, const fs::path& current,
                                    const std::vector<KernelNames>& kernels,
                                    const std::string& compute_capability) {
  std::array<std::set<std::string>, 2> wanted;
  for (const auto& [before, after] : kernels) {
    wanted[0].insert(before);
    wanted[1].insert(after);
  }
  const int device = capability_number(compute_capability);
  const Search old = search(baseline, wanted[0], device), now = search(current, wanted[1], device);
  std::vector<CodeSides> all;
  for (const auto& [before, after] : kernels) {
    CodeSides& sides = all.emplace_back();
    sides.baseline_name = before;
    sides.current_name = after;
    const FoundKernel *one = old.find(before), *other = now.find(after);
    if (one == nullptr || other == nullptr || one->architecture != other->architecture) continue;
    sides.architecture = other->architecture;
    sides.same = one->code.whole == other->code.whole;
    const std::vector<Instruction> listed = listing_of(one->text, one->architecture);
    const std::vector<Instruction> relisted = listing_of(other->text, other->architecture);
    sides.baseline = profile_of(listed, one->code.figures);
    sides.current = profile_of(relisted, other->code.figures);
    if (!sides.same) align(listed, relisted, sides);
  }
  return all;
}

}  // namespace harness
