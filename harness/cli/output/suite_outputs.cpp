#include "harness/cli/output/suite_outputs.h"

#include <utility>

#include "harness/cli/exit_status.h"
#include "harness/report/documents.h"

namespace harness {

namespace {

template <class Made>
std::vector<SuiteReport> reports_of(const std::vector<Made>& all, Format format) {
  std::vector<SuiteReport> reports;
  for (const Made& one : all) reports.push_back({one.suite, one.status, one.make(format), one.leads});
  return reports;
}

}  // namespace

std::string SuiteOutputs::draw(const std::vector<Made>& all, int status, Format format,
                               const Style& style) const {
  if (suites_ > 1) return render(reports_of(all, format), status, format, style);
  return render(all.front().make(format), format, style);
}

void SuiteOutputs::print(const Render& render) {
  if (const Status printed = print_report(options_, render); !printed) {
    report_error(printed.error());
    unwritten_ = true;
  }
}

void SuiteOutputs::print(const MakeReport& make) {
  if (options_.format != Format::terminal) return;
  print([&](Format format, const Style& style) {
    return (printed_++ == 0 ? "" : "\n") + render(make(format), format, style);
  });
}

// Nothing else needs the facts, so they do not lie beside the text: of a million cases they are a gigabyte.
void SuiteOutputs::print_and_forget(MakeReport make) {
  print([&](Format format, const Style& style) {
    Report report = make(format);
    report.ci = {};
    report.json = {};
    report.page = {};
    make = {};
    return (printed_++ == 0 ? "" : "\n") + render(report, format, style);
  });
}

void SuiteOutputs::add(const std::string& suite, MakeReport make, int status) {
  if (options_.format == Format::terminal && options_.reports.empty() && suites_ <= 1) {
    made_.push_back({suite, {}, status});
    return print_and_forget(std::move(make));
  }
  made_.push_back({suite, std::move(make), status});
  print(made_.back().make);
}

void SuiteOutputs::lead(const std::string& name, MakeReport make) {
  add(name, std::move(make), exit_ok);
  made_.back().leads = true;
  concluded_ = made_.size();
}

void SuiteOutputs::conclude_suite(const std::string& suite, int status) {
  status_ = worst_status(status_, status);
  if (made_.size() > concluded_)
    made_.back().status = worst_status(made_.back().status, status);
  else if (suites_ > 1)
    made_.push_back({suite, [this](Format) { return report::unfinished_document(command_); }, status});
  concluded_ = made_.size();
}

Status SuiteOutputs::begin(const std::string& suite, const MakeReport& make) {
  std::vector<Made> all = made_;
  all.push_back({suite, make, exit_ok});
  return begin_outputs(options_, [&](Format format, const Style& style) {
    return draw(all, exit_interrupted, format, style);
  });
}

int SuiteOutputs::finish() {
  if (made_.empty()) return status_;
  const auto all = [&](Format format, const Style& style) { return draw(made_, status_, format, style); };
  if (options_.format != Format::terminal) print(all);
  if (options_.format == Format::terminal && suites_ > 1)
    print([&](Format format, const Style& style) {
      const std::string summary = render_summary(reports_of(made_, format), status_, style);
      return summary.empty() ? summary : "\n" + summary;
    });
  unwritten_files_ = !write_reports(options_, all);
  unwritten_ |= unwritten_files_;
  return unwritten_ && status_ == exit_ok ? exit_usage : status_;
}

}  // namespace harness
