// The forms of GELU, for kernels that NVRTC compiles, too.
#pragma once

namespace linear_gelu {

enum class Gelu { tanh_form, erf_form };

}  // namespace linear_gelu
