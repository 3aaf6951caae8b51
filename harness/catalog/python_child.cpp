#include "harness/catalog/python_child.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <utility>

#include "harness/base/environment.h"
#include "harness/schema/json_fields.h"

namespace harness {

template <>
inline constexpr auto enum_names<sdk::ParamKind> =
    names<sdk::ParamKind>({{sdk::ParamKind::integer, "integer"},
                           {sdk::ParamKind::real, "real"},
                           {sdk::ParamKind::boolean, "boolean"},
                           {sdk::ParamKind::text, "text"}});

template <>
struct Described<sdk::ParamSpec> {
  static constexpr auto fields = list_fields<sdk::ParamSpec>(
      JsonLayout::line, field("name", &sdk::ParamSpec::name).required(),
      field("kind", &sdk::ParamSpec::kind).required(), field("choices", &sdk::ParamSpec::choices));
};

template <>
struct Described<PythonVariant> {
  static constexpr auto fields = list_fields<PythonVariant>(
      JsonLayout::line, field("name", &PythonVariant::name).required(),
      field("device", &PythonVariant::device).required(), field("summary", &PythonVariant::summary));
};

template <>
struct Described<PythonWorkload> {
  static constexpr auto fields = list_fields<PythonWorkload>(
      JsonLayout::line, field("name", &PythonWorkload::name).required(),
      field("summary", &PythonWorkload::summary), field("built_in", &PythonWorkload::built_in),
      field("params", &PythonWorkload::params), field("variants", &PythonWorkload::variants));
};

namespace {

struct Contents {
  std::string error;
  std::vector<PythonWorkload> workloads;
};

struct Question {
  std::string workload;
  sdk::Params params;
};

struct AnsweredTensor {
  std::string name;
  bool output = false;
  std::string dtype;
  std::vector<std::int64_t> shape;
};

struct Answer {
  std::string error;
  std::string unsupported;
  std::vector<AnsweredTensor> tensors;
  double tolerance = 0;
  double flops = 0;
  double bytes = 0;
  double items = 0;
  std::string item_name;
};

constexpr Seconds time_to_end = 5;  // of a child that says no more
constexpr const char* which_interpreter = "HARNESS_PYTHON names an interpreter of Python 3.9 or newer";
constexpr const char* source = "python3 -m harness.describe";

}  // namespace

template <>
struct Described<Contents> {
  static constexpr auto fields = list_fields<Contents>(JsonLayout::line, field("error", &Contents::error),
                                                       field("workloads", &Contents::workloads));
};

template <>
struct Described<Question> {
  static constexpr auto fields = list_fields<Question>(
      JsonLayout::line, field("workload", &Question::workload), field("params", &Question::params));
};

template <>
struct Described<AnsweredTensor> {
  static constexpr auto fields = list_fields<AnsweredTensor>(
      JsonLayout::line, field("name", &AnsweredTensor::name).required(),
      field("output", &AnsweredTensor::output), field("dtype", &AnsweredTensor::dtype).required(),
      field("shape", &AnsweredTensor::shape));
};

template <>
struct Described<Answer> {
  static constexpr auto fields = list_fields<Answer>(
      JsonLayout::line, field("error", &Answer::error), field("unsupported", &Answer::unsupported),
      field("tensors", &Answer::tensors), field("tolerance", &Answer::tolerance),
      field("flops", &Answer::flops), field("bytes", &Answer::bytes), field("items", &Answer::items),
      field("item_name", &Answer::item_name));
};

Result<PythonChild> PythonChild::start(const std::filesystem::path& file, Seconds patience) {
  constexpr int standard_error = 2;
  Result<Child> started = Child::start({.argv = python_command("harness.describe", file.string()),
                                        .environment = python_environment(),
                                        .trusted = false,
                                        .dies_with_parent = true},
                                       {.out = standard_error});
  if (!started) return fail(ErrorKind::usage, started.error().message, which_interpreter);
  PythonChild child(std::move(*started), patience);
  const Result<std::string> line = child.answer();
  if (!line) return fail(line.error());
  Result<Contents> described = from_json(Described<Contents>::fields, *line, source);
  if (!described) return fail(described.error());
  if (!described->error.empty())
    return fail(ErrorKind::usage, described->error, "correct the file; `python3 FILE` shows the whole trace");
  child.left_ = patience;
  child.workloads_ = std::move(described->workloads);
  return child;
}

Result<std::string> PythonChild::answer() {
  const auto begin = std::chrono::steady_clock::now();
  auto line = child_.read_line(left_);
  const Seconds given = left_;
  left_ -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (line) return std::move(*line);
  if (line.error() == NoLine::closed) {
    if (!child_.has_ended(time_to_end)) child_.kill_group();
    const Exit exit = child_.wait();
    return fail(ErrorKind::environment, fmt::format("`{}` ended: {}", source, exit.text()),
                which_interpreter);
  }
  return fail(ErrorKind::environment, fmt::format("`{}` says nothing within {:.3g} s", source, given),
              "a file with cases describes them when it is imported: let only the cases compute");
}

sdk::Problem PythonChild::problem(const std::string& workload, const sdk::Params& params) {
  const Question question{workload, params};
  const auto failed = [](const Error& error) -> std::runtime_error {
    return std::runtime_error(error.message);
  };
  if (const Status sent =
          child_.send(to_json(Described<Question>::fields, question, JsonLayout::line) + "\n");
      !sent)
    throw failed(sent.error());
  const Result<std::string> line = answer();
  if (!line) throw failed(line.error());
  const Result<Answer> answer = from_json(Described<Answer>::fields, *line, source);
  if (!answer) throw failed(answer.error());
  if (!answer->unsupported.empty()) throw sdk::Unsupported(answer->unsupported);
  if (!answer->error.empty()) throw std::runtime_error(answer->error);
  sdk::Problem problem;
  for (const AnsweredTensor& one : answer->tensors)
    problem.tensors.push_back({one.name, one.output ? sdk::Role::output : sdk::Role::input,
                               sdk::parse_dtype(one.dtype).value_or(sdk::DType::f32), one.shape});
  problem.work = {answer->flops, answer->bytes, answer->items, answer->item_name};
  problem.tolerance.relative = answer->tolerance;
  return problem;
}

std::vector<std::string> python_command(const std::string& module, const std::string& argument) {
  std::vector<std::string> words{environment::python(), "-u", "-B"};
  if (const std::filesystem::path folder = environment::cache_folder(); !folder.empty()) {
    words.emplace_back("-X");
    words.push_back("harness_compiled=" + (folder / "python").string());
  }
  words.insert(words.end(), {"-m", module, argument});
  return words;
}

std::filesystem::path python_package() {
  return (this_program().parent_path() / ".." / "share" / "harness" / "python").lexically_normal();
}

std::filesystem::path python_worker_library() {
  return (this_program().parent_path() / ".." / "lib" / "libharness_worker.so").lexically_normal();
}

std::map<std::string, std::string> python_environment() {
  const std::string package = python_package().string();
  const char* const others = environment::find("PYTHONPATH");
  const bool alone = others == nullptr || *others == '\0';
  return {{"PYTHONPATH", alone ? package : package + ":" + others}, {"PYTHONSAFEPATH", "1"}};
}

}  // namespace harness
