# Copies the shared libraries that the files listed in LIST load to DESTINATION, under the names by
# which they are loaded. Left where they are: the C and C++ runtimes, which every machine has and
# which must not be older than the system's others, and everything of NVIDIA's, which comes with the
# driver or the toolkit.
cmake_policy(SET CMP0057 NEW)
file(STRINGS ${LIST} files)
set(programs)
set(modules)
foreach(file IN LISTS files)
  if(file MATCHES "\\.so$")
    list(APPEND modules ${file})
  else()
    list(APPEND programs ${file})
  endif()
endforeach()

set(system "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s)\\.so"
           "^lib(cuda|cudart|cublas|cublasLt|cudnn|cufft|cupti|nccl|nvidia|nvrtc|nvJitLink)[-.a-zA-Z]*\\.so")
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  DIRECTORIES ${DESTINATION}
  PRE_EXCLUDE_REGEXES ${system})
if(missing)
  message(FATAL_ERROR "Not found, so they cannot be bundled: ${missing}")
endif()

file(MAKE_DIRECTORY ${DESTINATION})
foreach(library IN LISTS found)
  get_filename_component(name ${library} NAME)
  get_filename_component(folder ${library} DIRECTORY)
  if(NOT folder STREQUAL DESTINATION)
    file(COPY_FILE ${library} ${DESTINATION}/${name} ONLY_IF_DIFFERENT)
    file(CHMOD ${DESTINATION}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ WORLD_READ)
  endif()
endforeach()
