# Warnings, sanitizers, ccache and the fast linker, as one interface target: harness_options.
add_library(harness_options INTERFACE)
target_include_directories(harness_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(harness_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>)

# When optimising, GCC 12 and 13 warn of overlapping copies in std::string operators (GCC bug 105651) and of
# uninitialised values in a tl::expected. Both warnings are wrong.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(harness_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-maybe-uninitialized>)
endif()

if(HARNESS_SANITIZE)
  target_compile_options(harness_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HARNESS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(harness_options INTERFACE -fsanitize=${HARNESS_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(harness_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitizer-ignore.txt>)
  endif()
  if(HARNESS_SANITIZE MATCHES "undefined")
    # This check wants the type information of every class, and SOCI's library keeps its own hidden.
    target_compile_options(harness_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# Programs that are carried to other machines look beside themselves first. The old kind of tag
# (RPATH, not RUNPATH) also holds for what the libraries load in turn. Stripped: it is what travels.
if(HARNESS_PORTABLE)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN;/usr/local/cuda/lib64")
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
  add_link_options(-Wl,--disable-new-dtags -s)
endif()

if(HARNESS_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HARNESS_FUZZ=ON needs clang, because libFuzzer is part of it: "
                      "configure with --preset fuzz, or add -DCMAKE_CXX_COMPILER=clang++.")
endif()

# HARNESS_UNITY compiles several sources of a library at once, in less than half of the time. ci/bootstrap.sh
# and ci/test.sh turn it on. Without it, a change of one file compiles only that.
option(HARNESS_UNITY "Compile the sources of a library together" OFF)
function(harness_unity target)
  if(NOT HARNESS_UNITY)
    return()
  endif()
  # A local name may be that of another file's constant. Builds without it find what shadows within a file.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
endfunction()
