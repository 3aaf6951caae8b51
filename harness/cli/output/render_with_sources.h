// Reports together with the records that they were made from and with the commands that make them again,
// which the HTML page shows.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/cli/options/device_option.h"
#include "harness/cli/options/store_options.h"
#include "harness/cli/output/suite_outputs.h"
#include "harness/report/documents.h"

namespace harness {

// How a report was made, and what the command that measures one of its cases again takes over.
struct Reproduction {
  std::string command_line;
  std::string device;   // of --device, as typed
  std::string store;    // of --store, without a password; "": the default
  std::string against;  // what to compare with; "": nothing

  Reproduction(const CommandLine& line, const StoreOption& store_option,
               const DeviceOption& device_option = {}, std::string against_name = {});

  // " --device cuda --against main", quoted for a shell.
  [[nodiscard]] std::string again() const;
};

// A run's report, of the record as it is.
MakeReport measured_report(Record record, const Reproduction& made_by);

// A comparison's report. A baseline without cases is none. Only HTML needs the records.
MakeReport judged_report(Comparison comparison, Record baseline, Record current, const Reproduction& made_by);

}  // namespace harness
