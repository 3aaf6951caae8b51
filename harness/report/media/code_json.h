// The fields of device code in JSON reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/model/code/code_sides.h"
#include "harness/report/words/change/change_cause_words.h"
#include "harness/schema/json_fields.h"

namespace harness::report {

using ClassCounts = std::array<std::int64_t, instruction_classes>;
// The classes that have instructions.
inline std::map<std::string, std::int64_t> named_classes(const ClassCounts& counts) {
  std::map<std::string, std::int64_t> classes;
  for (const auto& [kind, name] : enum_names<InstructionClass>)
    if (const std::int64_t count = counts[static_cast<std::size_t>(kind)]; count != 0)
      classes[std::string(name)] = count;
  return classes;
}

}  // namespace harness::report

namespace harness {

template <>
struct Described<KernelFigures> {
  using One = KernelFigures;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("registers", &One::registers), field("stack_bytes", &One::stack_bytes),
      field("shared_bytes", &One::shared_bytes), field("constant_bytes", &One::constant_bytes),
      field("instructions", &One::instructions),
      derived("by_class", [](const One& one) { return report::named_classes(one.by_class); }));
};

template <>
struct Described<CodeProfile> {
  using One = CodeProfile;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::line, field("figures", &One::figures),
      derived("global_by_bytes",
              [](const One& one) {
                std::map<std::string, std::int64_t> widths;
                for (std::size_t i = 0; i < access_widths; ++i)
                  if (one.global_by_width[i] != 0) widths[std::to_string(1 << i)] = one.global_by_width[i];
                return widths;
              }),
      field("asynchronous", &One::asynchronous), field("loops", &One::loops),
      field("loop_instructions", &One::loop_instructions),
      derived("loop_by_class", [](const One& one) { return report::named_classes(one.loop_by_class); }));
};

template <>
struct Described<report::SideFigure> {
  using One = report::SideFigure;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::line, field("figure", &One::name), field("baseline", &One::baseline),
                       field("current", &One::current));
};

template <>
struct Described<CodeLine> {
  using One = CodeLine;
  static constexpr auto fields =
      list_fields<One>(JsonLayout::line, field("baseline", &One::baseline), field("current", &One::current),
                       field("gap", &One::gap).unless_default());
};

template <>
struct Described<CodeSides> {
  using One = CodeSides;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("kernel", &One::current_name), field("was", &One::baseline_name),
      field("architecture", &One::architecture), field("same", &One::same), field("baseline", &One::baseline),
      field("current", &One::current), derived("differing", report::differing_figures),
      field("different", &One::different), field("too_long", &One::too_long).unless_default(),
      field("lines", &One::lines));
};

}  // namespace harness
