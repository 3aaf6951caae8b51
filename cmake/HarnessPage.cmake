# The HTML page: one file that becomes part of harness_report. npm builds it where there are tests of it; otherwise it is
# taken from page/bundle.tar.xz, which was built before. `ninja page_bundle` makes that anew. Without either, the
# program says so when it is asked for a page.
#
#   HARNESS_PAGE       AUTO; ON: an error where there is no page; OFF
#   HARNESS_PAGE_FILE  a page.html built before (plot.mjs beside it is taken, too): npm is not needed
set(HARNESS_PAGE AUTO CACHE STRING "The HTML page: AUTO (by npm or from page/bundle.tar.xz), ON, OFF")
set_property(CACHE HARNESS_PAGE PROPERTY STRINGS AUTO ON OFF)
set(HARNESS_PAGE_FILE "" CACHE FILEPATH "page.html that was built before, for machines without npm or network")

set(page_source ${CMAKE_SOURCE_DIR}/page)
set(page_build ${CMAKE_BINARY_DIR}/page)
set(page_dist ${page_build}/dist)

# The input of the build. It is copied into the build folder, so that nothing is written into the source.
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS RELATIVE ${page_source}
     ${page_source}/src/* ${page_source}/*.mjs ${page_source}/*.json)
list(FILTER page_sources EXCLUDE REGEX "^(node_modules|dist)/")

# Installs the packages that package-lock.json pins into the build folder; again only when it changed.
# Sets page_obstacle to why that did not work.
function(harness_page_packages)
  find_program(NPM npm)
  find_program(NODE node)
  if(NOT NPM OR NOT NODE)
    set(page_obstacle "it was configured without npm" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${page_source}/package-lock.json lock)
  set(stamp ${page_build}/packages.stamp)
  set(installed)
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
  endif()
  if(installed STREQUAL lock)
    return()
  endif()
  message(STATUS "Installing the page's packages with npm")
  file(MAKE_DIRECTORY ${page_build})
  file(COPY ${page_source}/package.json ${page_source}/package-lock.json DESTINATION ${page_build})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
    WORKING_DIRECTORY ${page_build} RESULT_VARIABLE status TIMEOUT 300
    OUTPUT_FILE ${page_build}/npm.log ERROR_FILE ${page_build}/npm.log)
  if(NOT status EQUAL 0)
    set(page_obstacle "`npm ci` failed when it was configured" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${stamp} ${lock})
endfunction()

# Unpacks the bundle that was built from exactly these sources, and sets page_bundled.
function(harness_page_bundle)
  set(bundle ${page_source}/bundle.tar.xz)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${bundle})
  if(NOT EXISTS ${bundle})
    return()
  endif()
  file(SHA256 ${bundle} hash)
  set(stamp ${page_build}/bundle.stamp)
  set(unpacked)
  if(EXISTS ${stamp})
    file(READ ${stamp} unpacked)
  endif()
  if(NOT unpacked STREQUAL hash)
    file(ARCHIVE_EXTRACT INPUT ${bundle} DESTINATION ${page_build}/bundle TOUCH)
    file(WRITE ${stamp} ${hash})
  endif()
  file(READ ${page_build}/bundle/sources sources)
  if(sources STREQUAL page_identity)
    set(page_bundled TRUE PARENT_SCOPE)
  else()
    message(STATUS "page/bundle.tar.xz was built from other sources: run ninja page_bundle where npm is")
  endif()
endfunction()

set(page_obstacle "")
set(page_from "")
set(page_bundled FALSE)
set(page_identity "")
foreach(file IN LISTS page_sources)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_source}/${file})
  file(SHA256 ${page_source}/${file} hash)
  string(APPEND page_identity "${hash} ${file}\n")
endforeach()
if(HARNESS_PAGE_FILE)
  if(NOT EXISTS ${HARNESS_PAGE_FILE})
    message(FATAL_ERROR "HARNESS_PAGE_FILE=${HARNESS_PAGE_FILE} does not exist. "
                        "Build it where npm is: npm ci && npm run build in page.")
  endif()
  file(REAL_PATH ${HARNESS_PAGE_FILE} HARNESS_PAGE_HTML)
  get_filename_component(page_folder ${HARNESS_PAGE_HTML} DIRECTORY)
  set(HARNESS_PAGE_PLOT ${page_folder}/plot.mjs)
  set(page_from "${HARNESS_PAGE_HTML}")
elseif(HARNESS_PAGE STREQUAL "OFF")
  set(page_obstacle "it was configured with HARNESS_PAGE=OFF")
elseif(NOT EXISTS ${page_source}/package-lock.json)
  set(page_obstacle "page is not in the source tree that it was built from")
else()
  if(HARNESS_TESTS)
    harness_page_packages()
  endif()
  if(page_obstacle OR NOT HARNESS_TESTS)
    harness_page_bundle()
  endif()
  if(NOT HARNESS_TESTS AND NOT page_bundled)
    harness_page_packages()
  endif()
  if(page_bundled)
    set(page_obstacle "")
    set(HARNESS_PAGE_HTML ${page_build}/bundle/page.html)
    set(HARNESS_PAGE_PLOT ${page_build}/bundle/plot.mjs)
    set(page_from "page/bundle.tar.xz")
  endif()
  if(page_obstacle AND HARNESS_PAGE STREQUAL "ON")
    message(FATAL_ERROR "HARNESS_PAGE=ON, but there is no page: ${page_obstacle} (${page_build}/npm.log). "
                        "Install Node.js 18 or newer with npm; or name a page built elsewhere with "
                        "-DHARNESS_PAGE_FILE=page.html; or configure with HARNESS_PAGE=OFF.")
  endif()
endif()

if(NOT page_obstacle AND NOT page_from)
  set(HARNESS_PAGE_HTML ${page_dist}/page.html)
  set(HARNESS_PAGE_PLOT ${page_dist}/plot.mjs)
  set(page_inputs ${page_sources})
  list(TRANSFORM page_inputs PREPEND ${page_source}/)
  set(page_tops ${page_inputs})
  list(FILTER page_tops EXCLUDE REGEX "/page/src/")
  add_custom_command(OUTPUT ${HARNESS_PAGE_HTML} ${HARNESS_PAGE_PLOT}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${page_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${page_source}/src ${page_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${page_tops} ${page_build}
    COMMAND ${NPM} run --silent build -- ${page_dist}
    DEPENDS ${page_inputs} ${page_build}/packages.stamp
    WORKING_DIRECTORY ${page_build} COMMENT "Building the HTML page" VERBATIM)
  set(page_from "built by npm")

  file(WRITE ${page_build}/sources "${page_identity}")
  add_custom_target(page_bundle
    COMMAND ${CMAKE_COMMAND} -E copy ${page_build}/sources ${page_dist}
    COMMAND ${CMAKE_COMMAND} -E tar cJf ${page_source}/bundle.tar.xz --format=gnutar page.html plot.mjs sources
    DEPENDS ${HARNESS_PAGE_HTML} ${HARNESS_PAGE_PLOT}
    WORKING_DIRECTORY ${page_dist} COMMENT "Making page/bundle.tar.xz" VERBATIM)
endif()

file(WRITE ${CMAKE_BINARY_DIR}/generated/no_page "")
set(HARNESS_PAGE_OBSTACLE "${page_obstacle}")
if(page_obstacle)
  set(HARNESS_PAGE_HTML ${CMAKE_BINARY_DIR}/generated/no_page)
  message(STATUS "HTML page: OFF (${page_obstacle})")
else()
  message(STATUS "HTML page: ON, ${page_from}")
endif()
if(page_obstacle OR (HARNESS_PAGE_FILE AND NOT EXISTS ${HARNESS_PAGE_PLOT}))
  set(HARNESS_PAGE_PLOT ${CMAKE_BINARY_DIR}/generated/no_page)
endif()

set(page_template ${CMAKE_BINARY_DIR}/generated/page_template.cpp)
configure_file(${CMAKE_SOURCE_DIR}/harness/report/media/page/page_template.cpp.in ${page_template} @ONLY)
# By itself in a unity build, too, which forgets what one of its sources depends on.
set_source_files_properties(${page_template} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
  OBJECT_DEPENDS "${HARNESS_PAGE_HTML};${HARNESS_PAGE_PLOT}")
target_sources(harness_report PRIVATE ${page_template})
