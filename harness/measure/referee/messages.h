// Messages between the referee and a player, a line each: a word, and what follows as JSON. The player
// answers each with one line.
//
//   referee               player
//   start {PlayerStart}   ready {PlayerReady}   device open, modules loaded, kernel constructed
//   open {PlayerBlock}    opened                its memory, from now on
//   bind 5                bound                 sets 0 to 4: a kernel each, one call that nobody times
//   order 7 2 0 3         ordered 7             play 7 calls sets 2, 0 and 3
//   play 7                played 7              in order; on a GPU it is queued
//
// In place of an answer: cannot {cause}. Nothing in these messages tells inputs, right answers or times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/measure/schedule/paired_builds.h"
#include "harness/model/cause.h"
#include "harness/model/plan.h"

namespace harness::referee {

struct PlayerStart {
  std::string device;
  BuildModules build;
  PlannedCase planned;
  std::string start;  // RefereeSide::start_handle()
};

struct PlayerReady {
  std::string end;                   // for RefereeSide::meet()
  std::string tensors;               // of its problem, as text
  std::optional<double> tolerance;   // of its variant, where it is not the workload's
  std::int64_t workspace_bytes = 0;  // of each set, by the kernel's own memory
  bool waits = false;                // its calls wait for the device
};

// The memory of `offsets.size()` sets of buffers, and where the tensors of each set begin.
struct PlayerBlock {
  std::string handle;
  std::int64_t bytes = 0;
  std::vector<std::vector<std::int64_t>> offsets;
};

std::string encode(const PlayerStart& message);
std::string encode(const PlayerReady& message);
std::string encode(const PlayerBlock& message);
std::string encode_trouble(const Cause& cause);
Result<PlayerStart> decode_player_start(std::string_view text);
Result<PlayerReady> decode_player_ready(std::string_view text);
Result<PlayerBlock> decode_player_block(std::string_view text);
Result<Cause> decode_trouble(std::string_view text);

// The tensors of a problem, a line each.
std::string tensors_text(const sdk::Problem& problem);

}  // namespace harness::referee
