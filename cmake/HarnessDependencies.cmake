# Every third-party library. ci/README.md says why each is here.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers: Math (students_t, non_central_t), Uuid
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(RapidJSON REQUIRED)   # headers: SchemaValidator, fast record reading
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_package(tl-expected REQUIRED)

if(NOT TARGET pugixml::pugixml)  # before 1.11 the plain name
  add_library(pugixml::pugixml ALIAS pugixml)
endif()
if(NOT TARGET yaml-cpp::yaml-cpp)  # 0.7 exports the plain name
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
if(NOT TARGET rapidjson::rapidjson)
  add_library(rapidjson::rapidjson INTERFACE IMPORTED)
  target_include_directories(rapidjson::rapidjson SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIRS} ${RapidJSON_INCLUDE_DIRS})
endif()

# SOCI's package file names targets differently in Debian and upstream; the library is what counts.
# The PostgreSQL backend is loaded by SOCI when a postgresql:// store is opened, never linked.
find_library(SOCI_CORE soci_core REQUIRED)
find_library(SOCI_SQLITE3 soci_sqlite3 REQUIRED)
find_path(SOCI_INCLUDE soci/soci.h REQUIRED)
add_library(harness_soci INTERFACE)
target_include_directories(harness_soci SYSTEM INTERFACE ${SOCI_INCLUDE})
target_link_libraries(harness_soci INTERFACE ${SOCI_SQLITE3} ${SOCI_CORE} sqlite3 ${CMAKE_DL_LIBS})

# Device code is compressed by LZ4 or Zstandard; Zydis decodes the host's.
find_library(LZ4_LIBRARY lz4 REQUIRED)
find_library(ZSTD_LIBRARY zstd REQUIRED)
find_library(ZYDIS_LIBRARY Zydis REQUIRED)
find_path(LZ4_INCLUDE lz4.h REQUIRED)
find_path(ZSTD_INCLUDE zstd.h REQUIRED)
find_path(ZYDIS_INCLUDE Zydis/Zydis.h REQUIRED)
add_library(harness_unpack INTERFACE)
target_include_directories(harness_unpack SYSTEM INTERFACE ${LZ4_INCLUDE} ${ZSTD_INCLUDE} ${ZYDIS_INCLUDE})
target_link_libraries(harness_unpack INTERFACE ${LZ4_LIBRARY} ${ZSTD_LIBRARY} ${ZYDIS_LIBRARY})

find_library(HARNESS_CRYPTO libcrypto.a REQUIRED)  # SHA-256, also in the library that traces programs

# The CUDA toolkit, where there is one.
set(HARNESS_HAVE_CUDA OFF)
if(NOT HARNESS_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit 13.0 QUIET)
  set(cuda_obstacle "no CUDA toolkit 13.0 or newer was found")
  if(CUDAToolkit_FOUND AND NOT TARGET CUDA::cublasLt)
    set(cuda_obstacle "the CUDA toolkit in ${CUDAToolkit_TARGET_DIR} has no cuBLAS development files")
  endif()
  if(CUDAToolkit_FOUND AND TARGET CUDA::cublasLt)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
    set(CMAKE_CUDA_ARCHITECTURES ${HARNESS_CUDA_ARCHITECTURES})
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(HARNESS_HAVE_CUDA ON)
  elseif(HARNESS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HARNESS_CUDA=ON, but ${cuda_obstacle}. "
                        "Put its bin folder on PATH or set CUDAToolkit_ROOT; or configure with HARNESS_CUDA=OFF.")
  else()
    set(why_no_cuda ": ${cuda_obstacle}")
  endif()
endif()
if(HARNESS_HAVE_CUDA)
  message(STATUS "CUDA module: ON, toolkit ${CUDAToolkit_VERSION}, architectures ${HARNESS_CUDA_ARCHITECTURES}")
else()
  message(STATUS "CUDA module: OFF (HARNESS_CUDA=${HARNESS_CUDA}${why_no_cuda})")
endif()

if(HARNESS_TESTS)
  find_package(GTest REQUIRED)
endif()
if(HARNESS_TESTS AND HARNESS_PERF)
  find_package(benchmark REQUIRED)
endif()
