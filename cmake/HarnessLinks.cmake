# Small programs in one file say on their first line what they link: `// links: harness_suite fmt::fmt`.
# harness_links_of(<file> <result>) reads it; a file without it is an error.
function(harness_links_of file result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} first LIMIT_COUNT 1)
  if(NOT first MATCHES "^// links: *(.*)$")
    message(FATAL_ERROR "${file}: the first line must say what to link: // links: harness_<folder>...")
  endif()
  string(REGEX MATCHALL "[^ ]+" links "${CMAKE_MATCH_1}")
  set(${result} ${links} PARENT_SCOPE)
endfunction()
