# Makes DESTINATION/{bin,lib} of the programs and modules listed in LIST and the shared libraries that they load, under
<<<<<<< HEAD
# the names by which they are loaded. The Python package in the folder PYTHON goes to share/. It checks that nothing else
# is needed, that it fits into LIMIT bytes, and that the program starts.
=======
# the names by which they are loaded. PYTHON names the folder of the package, which goes to share/. It checks that
# nothing else is needed, that it fits into LIMIT bytes, and that the program starts.
>>>>>>> 3a95d298 (The bundle's comment in sentences that the house rule takes)
cmake_policy(SET CMP0057 NEW)
include(${CMAKE_CURRENT_LIST_DIR}/SystemLibraries.cmake)
set(readable PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

file(STRINGS ${LIST} files)
file(REMOVE_RECURSE ${DESTINATION})
set(programs)
set(modules)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  if(file MATCHES "\\.so$")
    file(COPY ${file} DESTINATION ${DESTINATION}/lib)
    list(APPEND modules ${DESTINATION}/lib/${name})
  else()
    file(COPY ${file} DESTINATION ${DESTINATION}/bin)
    list(APPEND programs ${DESTINATION}/bin/${name})
  endif()
endforeach()
file(COPY ${PYTHON}/harness DESTINATION ${DESTINATION}/share/harness/python FILES_MATCHING PATTERN "*.py")

file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES ${HARNESS_SYSTEM_LIBRARIES})
if(missing)
  message(FATAL_ERROR "Not found, so they cannot be bundled: ${missing}")
endif()
foreach(library IN LISTS found)
  get_filename_component(name ${library} NAME)
  file(COPY_FILE ${library} ${DESTINATION}/lib/${name})
  file(CHMOD ${DESTINATION}/lib/${name} ${readable})
endforeach()

# The libraries that the loader takes, and their places.
foreach(file IN LISTS programs modules)
  execute_process(COMMAND env -i ldd ${file} OUTPUT_VARIABLE loaded RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ldd ${file} failed: ${status}")
  endif()
  string(REGEX MATCHALL "[^\n]+" lines "${loaded}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[ \t]*([^ ]+).*" "\\1" name "${line}")
    get_filename_component(name ${name} NAME)
    set(of_the_system FALSE)
    foreach(pattern IN LISTS HARNESS_SYSTEM_LIBRARIES)
      if(name MATCHES "${pattern}")
        set(of_the_system TRUE)
      endif()
    endforeach()
    string(FIND "${line}" " => ${DESTINATION}/" inside)
    if(NOT of_the_system AND inside EQUAL -1)
      message(FATAL_ERROR "${file} would take a library from outside of the bundle: ${line}")
    endif()
  endforeach()
endforeach()

set(bytes 0)
file(GLOB_RECURSE all ${DESTINATION}/*)
foreach(file IN LISTS all)
  file(SIZE ${file} size)
  math(EXPR bytes "${bytes} + ${size}")
endforeach()
math(EXPR tenths "${bytes} * 10 / 1048576")
math(EXPR whole "${tenths} / 10")
math(EXPR tenth "${tenths} % 10")
if(bytes GREATER LIMIT)
  message(FATAL_ERROR "The bundle has ${bytes} bytes, more than the ${LIMIT} that it may have")
endif()

foreach(program IN LISTS programs)
  if(program MATCHES "/harness$")
    execute_process(COMMAND env -i ${program} --version OUTPUT_VARIABLE version RESULT_VARIABLE status
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${program} --version failed: ${status}")
    endif()
  endif()
endforeach()
list(LENGTH all count)
message(STATUS "Bundle: ${DESTINATION}, ${count} files, ${whole}.${tenth} MiB, ${version}")
