#include "harness/catalog/c_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/base/text.h"
#include "harness/model/device_kinds.h"

namespace harness {
namespace {

constexpr std::size_t message_room = 4096;
constexpr const char* header = "harness/sdk/plugin.h";
constexpr const char* identifiers = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

// A plug-in's values and the names in them, as a request points to them.
class Request {
 public:
  Request(const char* variant, const sdk::Params& params, const sdk::DeviceTraits& traits)
      : params_(params), device_name_(traits.name), message_(message_room, '\0') {
    values_.reserve(params_.entries().size());
    for (const auto& [name, value] : params_.entries()) values_.push_back(value_of(name, value));
    request_ = {variant,        values_.data(),  values_.size(), device_name_.c_str(),
                traits.ordinal, message_.data(), message_.size()};
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() = default;

  [[nodiscard]] const harness_request* get() const { return &request_; }

  // Throws for a result that is not HARNESS_OK, with the reason that the plug-in wrote.
  void check(int result, const char* function) const {
    if (result == HARNESS_OK) return;
    const std::string reason = message_.substr(0, message_.find('\0'));
    const std::string why =
        reason.empty() ? fmt::format("{} returned {} and wrote no message", function, result) : reason;
    if (result == HARNESS_UNSUPPORTED) throw sdk::Unsupported(why);
    throw std::runtime_error(why);
  }

 private:
  static harness_value value_of(const std::string& name, const sdk::Value& value) {
    harness_value made{name.c_str(), HARNESS_INTEGER, 0, 0, ""};
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      made.integer = *integer;
      made.real = static_cast<double>(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      made.kind = HARNESS_REAL;
      made.real = *real;
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      made.kind = HARNESS_BOOLEAN;
      made.integer = *flag ? 1 : 0;
    } else {
      made.kind = HARNESS_TEXT;
      made.text = std::get<std::string>(value).c_str();
    }
    return made;
  }

  sdk::Params params_;
  std::string device_name_;
  std::string message_;
  std::vector<harness_value> values_;
  harness_request request_{};
};

sdk::TensorSpec tensor_of(const harness_tensor& tensor) {
  constexpr std::array roles{sdk::Role::input, sdk::Role::output, sdk::Role::in_place};
  const std::string name = text_or_empty(tensor.name);
  const auto refused = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("harness_tensors: tensor `{}` has {}", name, why));
  };
  if (name.empty()) refused("no name");
  if (tensor.role < 0 || tensor.role >= static_cast<int>(roles.size()))
    refused(fmt::format("the unknown role {}", tensor.role));
  if (tensor.dtype < 0 || tensor.dtype >= static_cast<int>(std::size(sdk::dtypes)))
    refused(fmt::format("the unknown dtype {}", tensor.dtype));
  if (tensor.dimensions < 0 || tensor.dimensions > HARNESS_MOST_DIMENSIONS)
    refused(
        fmt::format("{} dimensions; at most {} are possible", tensor.dimensions, HARNESS_MOST_DIMENSIONS));
  return {name,
          roles.at(static_cast<std::size_t>(tensor.role)),
          sdk::dtypes[tensor.dtype],
          {tensor.shape, tensor.shape + tensor.dimensions}};
}

// The plug-in's state for one variant, or for the reference, from open to close.
class Opened {
 public:
  Opened(const PluginExports& exports, const char* variant, const sdk::Params& params,
         const sdk::DeviceTraits& traits)
      : exports_(exports), request_(variant, params, traits) {
    request_.check(exports_.open(request_.get(), &state_), "harness_open");
    try {
      request_.check(exports_.tensors(state_, &described_), "harness_tensors");
      if (described_.tensor_count > 0 && described_.tensors == nullptr)
        throw std::invalid_argument("harness_tensors: `tensors` is null");
      for (std::size_t i = 0; i < described_.tensor_count; ++i)
        tensors_.push_back(tensor_of(described_.tensors[i]));
    } catch (...) {
      exports_.close(state_);
      throw;
    }
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { exports_.close(state_); }

  [[nodiscard]] const harness_problem& described() const { return described_; }
  [[nodiscard]] const std::vector<sdk::TensorSpec>& tensors() const { return tensors_; }
  [[nodiscard]] const Request& request() const { return request_; }
  void bind(void* const* tensors, void* workspace) {
    request_.check(exports_.bind(state_, tensors, workspace), "harness_bind");
  }
  void run(void* stream) {
    if (const int result = exports_.run(state_, stream); result != HARNESS_OK)
      request_.check(result, "harness_run");
  }

 private:
  const PluginExports& exports_;
  Request request_;
  void* state_ = nullptr;
  harness_problem described_{};
  std::vector<sdk::TensorSpec> tensors_;
};

sdk::ParamSpec param_of(const harness_parameter& parameter) {
  sdk::ParamSpec spec;
  spec.name = parameter.name;
  spec.summary = text_or_empty(parameter.summary);
  spec.kind = static_cast<sdk::ParamKind>(parameter.kind);
  spec.least = parameter.least;
  for (const char* const* choice = parameter.choices; choice != nullptr && *choice != nullptr; ++choice)
    spec.choices.emplace_back(*choice);
  return spec;
}
static_assert(static_cast<int>(sdk::ParamKind::integer) == HARNESS_INTEGER &&
              static_cast<int>(sdk::ParamKind::real) == HARNESS_REAL &&
              static_cast<int>(sdk::ParamKind::boolean) == HARNESS_BOOLEAN &&
              static_cast<int>(sdk::ParamKind::text) == HARNESS_TEXT);

class PluginWorkload final : public sdk::Workload {
 public:
  explicit PluginWorkload(const PluginExports& exports)
      : exports_(exports),
        name_(exports.description->name),
        summary_(text_or_empty(exports.description->summary)) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view summary() const override { return summary_; }
  [[nodiscard]] std::vector<sdk::ParamSpec> params() const override {
    std::vector<sdk::ParamSpec> all;
    for (const harness_parameter* one = exports_.description->parameters;
         one != nullptr && one->name != nullptr; ++one)
      all.push_back(param_of(*one));
    return all;
  }

  [[nodiscard]] sdk::Problem problem(const sdk::Params& params) const override {
    const Opened opened(exports_, nullptr, params, {});
    const harness_problem& found = opened.described();
    sdk::Problem problem{
        opened.tensors(), {found.flops, found.bytes, found.items, text_or_empty(found.item_name)}, {}};
    if (found.tolerance > 0) problem.tolerance.relative = found.tolerance;
    return problem;
  }

  void fill(const sdk::Params& params, std::uint64_t seed, std::span<sdk::HostTensor> inputs) const override {
    if (exports_.description->fill == nullptr) {
      sdk::Workload::fill(params, seed, inputs);
      return;
    }
    std::vector<void*> addresses;
    for (sdk::HostTensor& input : inputs) addresses.push_back(input.data.data());
    const Request request(nullptr, params, {});
    request.check(exports_.description->fill(request.get(), seed, addresses.data()), "fill");
  }

  // The reference computes all outputs at once.
  void reference(const sdk::Params& params, std::span<const sdk::HostTensor> inputs, std::size_t output,
                 std::span<const std::int64_t> wanted, std::span<double> expected) const override {
    Opened opened(exports_, nullptr, params, {});
    std::vector<std::vector<double>> values;
    std::vector<void*> addresses;
    std::size_t next_input = 0, outputs = 0, sought = 0;
    for (const sdk::TensorSpec& tensor : opened.tensors()) {
      std::vector<double>& one = values.emplace_back(static_cast<std::size_t>(tensor.elements()));
      addresses.push_back(one.data());
      if (sdk::is_output(tensor.role) && outputs++ == output) sought = values.size() - 1;
      if (!sdk::is_input(tensor.role)) continue;
      const sdk::HostTensor& input = inputs[next_input++];
      for (std::size_t i = 0; i < one.size(); ++i) one[i] = input.at(static_cast<std::int64_t>(i));
    }
    opened.bind(addresses.data(), nullptr);
    opened.run(nullptr);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      expected[i] = values[sought][static_cast<std::size_t>(wanted[i])];
  }

 private:
  PluginExports exports_;
  std::string name_;
  std::string summary_;
};

bool same_tensor(const sdk::TensorSpec& one, const sdk::TensorSpec& other) {
  return one.role == other.role && one.dtype == other.dtype && one.shape == other.shape;
}

class PluginKernel final : public sdk::Kernel {
 public:
  PluginKernel(const PluginExports& exports, const char* variant, const sdk::Params& params,
               const sdk::Problem& problem, const sdk::DeviceTraits& traits)
      : exports_(exports), opened_(exports_, variant, params, traits) {
    if (!std::equal(opened_.tensors().begin(), opened_.tensors().end(), problem.tensors.begin(),
                    problem.tensors.end(), same_tensor))
      throw std::invalid_argument(
          fmt::format("harness_tensors describes other tensors for `{}` than for the reference", variant));
  }

  [[nodiscard]] std::size_t workspace_bytes() const override { return opened_.described().workspace_bytes; }
  [[nodiscard]] bool synchronises() const override { return opened_.described().synchronises != 0; }
  void bind(const sdk::Buffers& buffers) override { opened_.bind(buffers.tensors.data(), buffers.workspace); }
  void run(sdk::Stream stream) override { opened_.run(stream.handle); }

 private:
  const PluginExports exports_;
  Opened opened_;
};

tl::unexpected<Error> refused(const std::string& why, std::string advice = {}) {
  if (advice.empty()) advice = fmt::format("{} says what it must be", header);
  return fail(ErrorKind::usage, "its `harness_plugin` " + why, std::move(advice));
}

bool is_identifier(const char* name) {
  const std::string_view text(name);
  return !text.empty() && text.find_first_not_of(identifiers) == std::string_view::npos;
}

Status check_parameters(const harness_parameter* parameters) {
  for (const harness_parameter* one = parameters; one != nullptr && one->name != nullptr; ++one) {
    if (!is_identifier(one->name))
      return refused(fmt::format("has a parameter `{}`, which is no name", printable(one->name)));
    if (one->kind < HARNESS_INTEGER || one->kind > HARNESS_TEXT)
      return refused(fmt::format("has a parameter `{}` of the unknown kind {}", one->name, one->kind));
  }
  return {};
}

Status check_variants(const harness_variant* variants) {
  if (variants == nullptr || variants->name == nullptr) return refused("has no variant");
  for (const harness_variant* one = variants; one->name != nullptr; ++one) {
    if (!is_identifier(one->name))
      return refused(fmt::format("has a variant `{}`, which is no name", printable(one->name)));
    if (one->device == nullptr)
      return refused(fmt::format("has a variant `{}` whose device is null", one->name));
    if (find_device_kind(one->device) == nullptr)
      return refused(
          fmt::format("has a variant `{}` for `{}`, which is no device", one->name, printable(one->device)));
  }
  return {};
}

}  // namespace

Result<bool> find_exports(void* library, PluginExports& exports) {
  std::string missing;
  bool any = false;
  const auto find = [&](const char* name, auto& into) {
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(dlsym(library, name));
    any = any || into != nullptr;
    if (into == nullptr) missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", name);
  };
  find("harness_plugin", exports.description);
  find("harness_open", exports.open);
  find("harness_tensors", exports.tensors);
  find("harness_bind", exports.bind);
  find("harness_run", exports.run);
  find("harness_close", exports.close);
  if (!any) return false;
  if (!missing.empty())
    return fail(ErrorKind::usage, "is a plug-in that does not export " + missing,
                fmt::format("define what {} declares, and do not hide it from the dynamic symbols", header));
  exports.prepare = reinterpret_cast<decltype(exports.prepare)>(dlsym(library, "harness_prepare"));
  exports.code = reinterpret_cast<const void*>(exports.run);
  return true;
}

Status add_c_plugin(const PluginExports& exports, sdk::Registry& registry) {
  const harness_plugin_description& description = *exports.description;
  if (description.version != HARNESS_PLUGIN_VERSION)
    return refused(fmt::format("has version {}; this harness reads version {}", description.version,
                               HARNESS_PLUGIN_VERSION),
                   fmt::format("compile it against this version's {}", header));
  if (description.name == nullptr) return refused("has no name: it is null");
  if (!is_identifier(description.name))
    return refused(
        fmt::format("has the name `{}`; letters, digits and _ make one", printable(description.name)));
  if (Status checked = check_parameters(description.parameters); !checked) return checked;
  if (Status checked = check_variants(description.variants); !checked) return checked;
  if (exports.joins == 0) registry.add(std::make_unique<PluginWorkload>(exports));
  for (const harness_variant* one = description.variants; one->name != nullptr; ++one) {
    const auto make = [exports, name = one->name](const sdk::Params& params, const sdk::Problem& problem,
                                                  const sdk::DeviceTraits& traits) {
      return std::make_unique<PluginKernel>(exports, name, params, problem, traits);
    };
    sdk::Variant variant{description.name, one->name, one->device, text_or_empty(one->summary), make};
    if (exports.prepare != nullptr)
      variant.prepare = [prepare = exports.prepare, name = one->name](const sdk::Params& params,
                                                                      const sdk::DeviceTraits& traits) {
        const Request request(name, params, traits);
        request.check(prepare(request.get()), "harness_prepare");
      };
    variant.code = exports.code;
    registry.add(std::move(variant));
  }
  return {};
}

}  // namespace harness
