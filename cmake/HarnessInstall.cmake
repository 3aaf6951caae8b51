# What `cmake --install` puts where, and the bundle that HARNESS_PORTABLE makes of the build folder.
#
#   bin/harness   lib/libharness_kernels.so   lib/libharness_cuda.so   include/harness/sdk/*.h   lib/cmake/harness/   share/harness/
#
# The installed package gives an outside project the target harness::sdk and harness_add_module().
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The program looks for the CUDA module beside itself, so the two move together: lib, whatever the
# platform calls its own folder for libraries.
if(TARGET harness)
  install(TARGETS harness RUNTIME DESTINATION bin COMPONENT harness)
endif()
install(TARGETS harness_kernels_module LIBRARY DESTINATION lib COMPONENT harness)
if(TARGET harness_cuda)
  install(TARGETS harness_cuda LIBRARY DESTINATION lib COMPONENT harness)
endif()

# What a user runs, without the tests: `ninja programs`.
add_custom_target(programs)
foreach(program harness harness_kernels_module harness_cuda)
  if(TARGET ${program})
    add_dependencies(programs ${program})
  endif()
endforeach()

set(package_folder lib/cmake/harness)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/harnessConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/harnessConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/harnessConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/harnessConfig.cmake
              ${CMAKE_BINARY_DIR}/package/harnessConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT sdk)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/harness/sdk
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/harness COMPONENT sdk FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/suites DESTINATION share/harness COMPONENT harness OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/harness/suite/suite.schema.json
  DESTINATION share/harness COMPONENT harness OPTIONAL)

# HARNESS_PORTABLE: copy every third-party shared library that the programs need to lib/, where their
# RPATH looks first, so that bin/ and lib/ can be carried to a machine that has only a C++ runtime.
# Called at the end of the top-level file, when all targets are known.
function(harness_bundle)
  harness_targets_below(${CMAKE_SOURCE_DIR} programs)
  if(NOT programs)
    return()
  endif()
  set(files)
  foreach(program IN LISTS programs)
    string(APPEND files "$<TARGET_FILE:${program}>\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/portable-files.txt CONTENT "${files}")
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/portable.stamp
    COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_BINARY_DIR}/portable-files.txt
            -DDESTINATION=${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -P ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/portable.stamp
    DEPENDS ${programs} ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMENT "Copying third-party libraries to lib/" VERBATIM)
  add_custom_target(harness_bundle ALL DEPENDS ${CMAKE_BINARY_DIR}/portable.stamp)
endfunction()

# Programs and modules that land in bin/ and lib/.
function(harness_targets_below folder result)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(programs)
  foreach(target IN LISTS found)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "^(EXECUTABLE|MODULE_LIBRARY)$")
      list(APPEND programs ${target})
    endif()
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS below)
    harness_targets_below(${child} more)
    list(APPEND programs ${more})
  endforeach()
  set(${result} ${programs} PARENT_SCOPE)
endfunction()
