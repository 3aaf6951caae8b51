// The fields of tuned.h's structs: the format harness-tuned, which harness/cli/tune/README.md describes.
#pragma once

#include "harness/model/record_fields.h"
#include "harness/model/results/summary_fields.h"
#include "harness/model/tuning/tuned.h"

namespace harness {

inline void read_json(const JsonNode& node, Interval& interval, std::int64_t least = 0) {
  std::vector<double> ends;
  read_json(node, ends, least);
  if (ends.size() == 2)
    interval = {ends[0], ends[1]};
  else
    node.problem("expected two numbers");
}

template <>
struct Described<TunedCase> {
  using One = TunedCase;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines,
      field("case", &One::id).required().says("Name of the tuned case, as `harness list` prints it."),
      field("values", &One::values).required().says("The parameters that it runs with."),
      field("fixed", &One::fixed).required().says("The fixed values: the first of each list under `tune`."),
      field("ratio", &One::ratio)
          .null_when_default()
          .says("Time with these values over that with the fixed ones, by fresh processes."),
      field("interval", &One::interval).null_when_default().says("The 90 % interval of the ratio."),
      field("processes", &One::processes).says("Fresh processes of each side."),
      field("arms", &One::arms).says("Sets of values that were tried."),
      field("device", &One::device_uuid).says("UUID of the device."),
      field("revision", &One::revision).says("Commit, branch and uncommitted changes."),
      field("date", &One::date).says("When they were measured, UTC."),
      field("tool", &One::tool).says("Version and build of the program."));
};

template <>
struct Described<TunedSuite> {
  using One = TunedSuite;
  static constexpr auto fields = list_fields<One>(
      JsonLayout::lines, field("suite", &One::suite).required().says("Name of the suite."),
      field("class", &One::machine_class).required().says("The machine class that the values are for."),
      field("cases", &One::cases)
          .required()
          .says("The tuned cases, by name.")
          .checked([](const JsonNode& node, const std::vector<TunedCase>& all) {
            expect_unique(node, all, &TunedCase::id, "case");
          }));
};

}  // namespace harness
