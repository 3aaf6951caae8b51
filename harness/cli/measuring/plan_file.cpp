#include "harness/cli/measuring/plan_file.h"

#include "harness/model/plan_fields.h"
#include "harness/schema/formats.h"

namespace harness {
namespace {

// The part of a plan file beside the plan. A plan that `harness list` prints lacks it.
constexpr auto device_part =
    list_fields<ChosenDevices>(JsonLayout::lines, field("devices", &ChosenDevices::devices),
                               field("identities", &ChosenDevices::identities),
                               field("unavailable_devices", &ChosenDevices::unavailable_devices),
                               field("left_out_devices", &ChosenDevices::left_out_devices));

constexpr auto program_part =
    list_fields<Prepared>(JsonLayout::lines, field("built_from", &Prepared::built_from));

}  // namespace

std::string encode_plan(const Prepared& prepared) {
  JsonWriter json;
  json.open_object();
  write_format(json, formats::plan);
  write_fields(json, device_part, prepared);
  write_fields(json, program_part, prepared);
  write_fields(json, Described<Plan>::fields, prepared.plan);
  json.close();
  return json.take() + "\n";
}

Result<Prepared> decode_plan(std::string_view text, const std::string& source) {
  const auto reader = JsonReader::parse(text, {source});
  if (!reader) return fail(reader.error());
  (*reader)->expect_format(formats::plan);
  Prepared prepared;
  read_fields((*reader)->root(), device_part, prepared);
  read_fields((*reader)->root(), program_part, prepared);
  read_fields((*reader)->root(), Described<Plan>::fields, prepared.plan);
  Result<Prepared> read = (*reader)->finish(std::move(prepared));
  if (read) return read;
  Error error = read.error();
  error.advice = "the program of that build writes another format; measure both builds with `harness run`";
  return fail(std::move(error));
}

}  // namespace harness
