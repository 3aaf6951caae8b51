// GateKind: how a launch gate holds a stream. A GPU's fingerprint keeps the name in its field `gate`.
#pragma once

#include "harness/schema/enum_names.h"

namespace harness {

enum class GateKind { stream_wait, spinning_thread };
template <>
inline constexpr auto enum_names<GateKind> =
    names<GateKind>({{GateKind::stream_wait, "stream wait"}, {GateKind::spinning_thread, "spinning thread"}});

}  // namespace harness
