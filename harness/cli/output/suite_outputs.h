// The outputs of a command that works on one suite or on several: the terminal gets each suite's report as it
// comes, the files of --report get all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/cli/output/emit.h"

namespace harness {

// Makes a report for a format. It keeps the facts that the report refers to.
using MakeReport = std::function<Report(Format)>;

class SuiteOutputs {
 public:
  // `suites`: how many the command works on; one has no summary.
  SuiteOutputs(OutputOptions options, std::string command, std::size_t suites)
      : options_(std::move(options)), command_(std::move(command)), suites_(suites) {}

  // Prints a suite's report, where standard output gets one as it comes, and keeps it for the files. `status`
  // is what it alone makes the exit status.
  void add(const std::string& suite, MakeReport make, int status);
  // The report that leads the others, added before them.
  void lead(const std::string& name, MakeReport make);
  // Whether a report is drawn in this format.
  [[nodiscard]] bool draws(Format format) const { return harness::draws(options_, format); }
  // Prints a report that the files do not get.
  void print(const MakeReport& make);
  // The end of a suite with its exit status. Without a report it had an error, which was told.
  void conclude_suite(const std::string& suite, int status);
  [[nodiscard]] int status() const { return status_; }  // the worst so far

  // The files alone: the reports so far, then this one of a suite that is being measured.
  Status begin(const std::string& suite, const MakeReport& make);

  // Writes the files and prints the summary. Returns the worst status, or exit_usage where that was 0 and
  // something could not be written.
  int finish();
  // Whether all of the files were written, as far as they have been.
  [[nodiscard]] bool wrote_files() const { return !unwritten_files_; }

 private:
  struct Made {
    std::string suite;
    MakeReport make;
    int status;
    bool leads = false;
  };
  [[nodiscard]] std::string draw(const std::vector<Made>& all, int status, Format format,
                                 const Style& style) const;
  void print(const Render& render);
  void print_and_forget(MakeReport make);

  OutputOptions options_;
  std::string command_;
  std::size_t suites_;
  std::vector<Made> made_ = {};
  std::size_t concluded_ = 0;  // of made_
  std::size_t printed_ = 0;
  int status_ = 0;
  bool unwritten_ = false;  // a file, or what was printed
  bool unwritten_files_ = false;
};

}  // namespace harness
