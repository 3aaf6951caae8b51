# What `cmake --install` puts where, the packages that cpack makes, and the bundle that HARNESS_PORTABLE makes.
#
#   bin/harness   lib/libharness_{kernels,worker,cuda,trace}.so   include/harness/sdk/*.h   lib/cmake/harness/   share/harness/python/   share/harness/
#
# The installed package gives an outside project the target harness::sdk and harness_add_module(). Components: harness,
# cuda, sdk and, in the tarball alone, libraries: the third-party shared libraries.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(SystemLibraries)

# The program looks for the CUDA module beside itself, so the two move together: lib, whatever the
# platform calls its own folder for libraries.
if(TARGET harness)
  install(TARGETS harness RUNTIME_DEPENDENCY_SET harness_libraries RUNTIME DESTINATION bin COMPONENT harness)
  install(RUNTIME_DEPENDENCY_SET harness_libraries PRE_EXCLUDE_REGEXES ${HARNESS_SYSTEM_LIBRARIES}
    LIBRARY DESTINATION lib COMPONENT libraries EXCLUDE_FROM_ALL)
endif()
install(TARGETS harness_kernels_module LIBRARY DESTINATION lib COMPONENT harness)
install(TARGETS harness_worker LIBRARY DESTINATION lib COMPONENT harness)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/harness DESTINATION share/harness/python COMPONENT harness
  FILES_MATCHING PATTERN "*.py" PATTERN py.typed)
if(TARGET harness_cuda)
  install(TARGETS harness_cuda harness_trace LIBRARY DESTINATION lib COMPONENT cuda)
endif()

# The programs without the tests: `ninja programs`.
add_custom_target(programs)
foreach(program harness harness_kernels_module harness_worker harness_cuda harness_trace)
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
              ${CMAKE_SOURCE_DIR}/cmake/built_from.cmake
  DESTINATION ${package_folder} COMPONENT sdk)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/harness/sdk
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/harness COMPONENT sdk FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/suites DESTINATION share/harness COMPONENT harness OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/harness/suite/suite.schema.json ${CMAKE_SOURCE_DIR}/harness/sdk/harness_samples.py
              ${CMAKE_SOURCE_DIR}/harness/store/postgresql/roles.sql
  DESTINATION share/harness COMPONENT harness OPTIONAL)
install(FILES ${CMAKE_SOURCE_DIR}/ci/action/judge.sh ${CMAKE_SOURCE_DIR}/ci/action/reports.sh
  DESTINATION share/harness/ci COMPONENT harness)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/harness/report/schemas DESTINATION share/harness COMPONENT harness)

# `cpack` in the build folder makes a tarball, whole with its libraries, and the .deb packages harness and harness-cuda,
# which depend on Debian's.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME harness)
set(CPACK_PACKAGE_CONTACT "The harness developers <harness@localhost>")
string(TOLOWER "harness-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/PackageComponents.cmake)
set(CPACK_COMPONENTS_ALL harness sdk)
set(CPACK_COMPONENT_SDK_GROUP harness)
set(CPACK_COMPONENT_HARNESS_GROUP harness)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_HARNESS_PACKAGE_NAME harness)
set(CPACK_DEBIAN_HARNESS_PACKAGE_SHLIBDEPS ON)
if(TARGET harness_cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_NAME harness-cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "harness (= ${PROJECT_VERSION})")  # NVIDIA's libraries are no packages of Debian
endif()
include(CPack)

# HARNESS_PORTABLE: the target `bundle` makes bundle/{bin,lib,share} in the build folder: what runs on other machines,
# the Python package, and every third-party shared library that is needed, where its RPATH looks first. The other
# machine needs a C++ runtime, and for its GPU a driver and cuBLAS. Called at the end of the top-level file, when all
# targets are known.
set(HARNESS_BUNDLE_LIMIT 67108864)  # bytes: small enough to be carried to a lab machine on every commit
function(harness_bundle)
  set(files)
  set(travelling)
  foreach(target harness harness_kernels_module harness_worker harness_cuda harness_trace harness_gpu_test test_gpu looks
                 offsets cheats_plugin cuda_cheats_plugin)
    if(TARGET ${target})
      list(APPEND travelling ${target})
      string(APPEND files "$<TARGET_FILE:${target}>\n")
    endif()
  endforeach()
  file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/harness/*.py)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/bundle-files.txt CONTENT "${files}")
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/bundle.stamp
    COMMAND ${CMAKE_COMMAND} -DLIST=${CMAKE_BINARY_DIR}/bundle-files.txt -DDESTINATION=${CMAKE_BINARY_DIR}/bundle
            -DPYTHON=${CMAKE_SOURCE_DIR}/python -DLIMIT=${HARNESS_BUNDLE_LIMIT}
            -P ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/bundle.stamp
    DEPENDS ${travelling} ${python_files} ${CMAKE_SOURCE_DIR}/cmake/BundleLibraries.cmake
    COMMENT "Making the bundle" VERBATIM)
  add_custom_target(bundle DEPENDS ${CMAKE_BINARY_DIR}/bundle.stamp)
endfunction()
