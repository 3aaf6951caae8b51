# Warnings, sanitizers, ccache and the fast linker, as one interface target: harness_options.
add_library(harness_options INTERFACE)
target_include_directories(harness_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(harness_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>)

if(HARNESS_SANITIZE)
  target_compile_options(harness_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HARNESS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(harness_options INTERFACE -fsanitize=${HARNESS_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
