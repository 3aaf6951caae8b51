# What `cmake --install` puts where, and the bundle that HARNESS_PORTABLE makes.
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

# The programs without the tests: `ninja programs`.
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

# HARNESS_PORTABLE: the target `bundle` makes bundle/{bin,lib} in the build folder: what runs on other machines, and
# every third-party shared library that it needs, where its RPATH looks first. The other machine needs a C++ runtime,
# and for its GPU a driver and cuBLAS. Called at the end of the top-level file, when all targets are known.
set(HARNESS_BUNDLE_LIMIT 67108864)  # bytes: small enough to be carried to a lab machine on every commit
function(harness_bundle)
  set(files)
  set(travelling)
  foreach(target harness harness_kernels_module harness_cuda harness_gpu_test test_gpu offsets)
    if(TARGET ${target})
      list(APPEND travelling ${target})
      string(APPEND files "$<TARGET_FILE:${target}>\n")
    endif()
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/bundle-files.txt CONTENT "${files}")
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/bundle.stamp
    COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_BINARY_DIR}/bundle-files.txt -DDESTINATION=${CMAKE_BINARY_DIR}/bundle
            -DLIMIT=${HARNESS_BUNDLE_LIMIT} -P ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/bundle.stamp
    DEPENDS ${travelling} ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMENT "Making the bundle" VERBATIM)
  add_custom_target(bundle DEPENDS ${CMAKE_BINARY_DIR}/bundle.stamp)
endfunction()
