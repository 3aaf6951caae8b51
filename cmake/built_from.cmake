# Run at each build (cmake -P) with SOURCE and OUTPUT: writes a C++ file with the identity of the sources as they
# are now, edits included. harness/cli/programs/built_from.h computes the same of a commit. The identity is ""
# without git. The file is touched only where the identity is another.
find_program(git git)
set(identity "")
set(parts "")
foreach(part CMakeLists.txt cmake harness kernels)
  if(EXISTS ${SOURCE}/${part})
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
  run_git(added add -A -- ${parts})
  run_git(tree write-tree)
  if(tree)
    run_git(files ls-tree -r ${tree} -- ${parts})
    string(REGEX REPLACE "[^\n]*[.]md\n" "" files "${files}\n")
    if(files)
      string(UUID identity NAMESPACE 6ba7b812-9dad-11d1-80b4-00c04fd430c8 NAME "${files}" TYPE SHA1)
      string(REPLACE "-" "" identity "${identity}")
    endif()
  endif()
  file(REMOVE_RECURSE ${scratch})
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "harness/cli/programs/built_from.h"

namespace harness {

const char* built_from() {
  return "@identity@";
}

}  // namespace harness
]] @ONLY)
