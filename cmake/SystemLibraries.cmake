# Patterns of the shared libraries that stay out of bundles and tarballs. The C and C++ runtimes: every machine has them,
# and they must not be older than the system's others. NVIDIA's libraries: they come with the driver or the toolkit.
set(HARNESS_SYSTEM_LIBRARIES
  "^ld-linux" "^linux-vdso" "^lib(c|m|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s)\\.so"
  "^lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|cupti|nccl|nvidia|nvrtc|nvJitLink)[-.a-zA-Z]*\\.so")
