# Run at each build (cmake -P) with SOURCE and OUTPUT: writes a C++ file with the identity of the sources as they
# are now, edits included. harness/cli/provenance/built_from.h computes the same of a commit. The identity is ""
# without git. The file is touched only where the identity is another.
#
# With MODULE=ON: likewise for a plug-in of any repository, of all C, C++, CUDA and CMake files that git tracks in it, as C
# or C++ (harness/cli/provenance/module_sources.h). The file also has the top folder of that repository. The identity is ""
# where git tracks none of them.
find_program(git git)
set(identity "")
set(parts "")
if(MODULE)
  # harness/cli/provenance/module_sources.cpp has the same list.
  set(parts "*.c" "*.cc" "*.cpp" "*.cxx" "*.cu" "*.cuh" "*.h" "*.hh" "*.hpp" "*.hxx" "*.inl" "*.inc" "*.ipp" "*.tpp"
            "*.ptx" "*.S" "*.cmake" "*CMakeLists.txt")
endif()
foreach(part CMakeLists.txt cmake harness kernels)
  if(NOT MODULE AND EXISTS ${SOURCE}/${part})
    list(APPEND parts ${part})
  endif()
endforeach()

function(run_git variable)
  execute_process(COMMAND ${git} -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE out ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    string(REGEX REPLACE "\n$" "" out "${out}")
    set(${variable} "${out}" PARENT_SCOPE)
  else()
    set(${variable} "" PARENT_SCOPE)
  endif()
endfunction()

if(git)
  if(MODULE)
    run_git(top rev-parse --show-toplevel)
    if(top)
      set(SOURCE ${top})
    endif()
  endif()
  run_git(index rev-parse --git-path index)
  run_git(objects rev-parse --git-path objects)
endif()
if(index)
  # An index and a folder of objects of their own, so that the repository stays as it is.
  get_filename_component(index "${index}" ABSOLUTE BASE_DIR ${SOURCE})
  get_filename_component(objects "${objects}" ABSOLUTE BASE_DIR ${SOURCE})
  set(scratch ${OUTPUT}.scratch)
  file(REMOVE_RECURSE ${scratch})
  file(MAKE_DIRECTORY ${scratch}/objects)
  if(EXISTS ${index})
    configure_file(${index} ${scratch}/index COPYONLY)
  endif()
  set(ENV{GIT_INDEX_FILE} ${scratch}/index)
  set(ENV{GIT_OBJECT_DIRECTORY} ${scratch}/objects)
  set(ENV{GIT_ALTERNATE_OBJECT_DIRECTORIES} ${objects})
  if(MODULE)
    execute_process(COMMAND ${git} -C ${SOURCE} ls-files -z --modified -- ${parts}
                    COMMAND ${git} -C ${SOURCE} update-index -z --remove --stdin ERROR_QUIET)
    run_git(files ls-files --stage -- ${parts})
    if(files)
      string(REGEX REPLACE "([0-9]+) ([0-9a-f]+) 0\t" "\\1 blob \\2\t" files "${files}\n")
    endif()
  else()
    run_git(added add -A -- ${parts})
    run_git(tree write-tree)
    if(tree)
      run_git(files ls-tree -r ${tree} -- ${parts})
      string(REGEX REPLACE "[^\n]*[.]md\n" "" files "${files}\n")
    endif()
  endif()
  if(files)
    string(UUID identity NAMESPACE 6ba7b812-9dad-11d1-80b4-00c04fd430c8 NAME "${files}" TYPE SHA1)
    string(REPLACE "-" "" identity "${identity}")
  endif()
  file(REMOVE_RECURSE ${scratch})
endif()

if(MODULE)
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" root "${top}")  # as C spells it
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) const char* harness_module_built_from(void);
#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) const char* harness_module_source_root(void);

const char* harness_module_built_from(void) {
  return "@identity@";
}

const char* harness_module_source_root(void) {
  return "@root@";
}
]] @ONLY)
  return()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "harness/cli/provenance/built_from.h"

namespace harness {

const char* built_from() {
  return "@identity@";
}

}  // namespace harness
]] @ONLY)
