# CudaHeaders: the headers of CUPTI, the CUDA runtime and NVTX 3, and nothing to link. From the CUDA toolkit, or from NVIDIA's
# wheels that scripts/install_dependencies.sh unpacks into .deps/cuda. Defines CudaHeaders::cupti and
# CudaHeaders::nvtx, and CudaHeaders_CUPTI_LIBRARY (NVIDIA's own libcupti, for tests; may be NOTFOUND).

file(GLOB _deps_roots ${PROJECT_SOURCE_DIR}/.deps/cuda/nvidia/*)
set(_roots $ENV{CUDA_HOME} /usr/local/cuda ${_deps_roots})

find_path(CudaHeaders_CUPTI_INCLUDE_DIR cupti.h HINTS ${_roots} PATH_SUFFIXES include extras/CUPTI/include)
find_path(CudaHeaders_CUDA_INCLUDE_DIR cuda_runtime_api.h HINTS ${_roots} PATH_SUFFIXES include)
find_path(CudaHeaders_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h HINTS ${_roots} PATH_SUFFIXES include)
find_library(CudaHeaders_CUPTI_LIBRARY NAMES libcupti.so.13 libcupti.so.12 libcupti.so HINTS ${_roots}
  PATH_SUFFIXES lib lib64 extras/CUPTI/lib64)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaHeaders REQUIRED_VARS
  CudaHeaders_CUPTI_INCLUDE_DIR CudaHeaders_CUDA_INCLUDE_DIR CudaHeaders_NVTX_INCLUDE_DIR)

if(CudaHeaders_FOUND AND NOT TARGET CudaHeaders::cupti)
  add_library(CudaHeaders::cupti INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::cupti SYSTEM INTERFACE
    ${CudaHeaders_CUPTI_INCLUDE_DIR} ${CudaHeaders_CUDA_INCLUDE_DIR})
  add_library(CudaHeaders::nvtx INTERFACE IMPORTED)
  target_include_directories(CudaHeaders::nvtx SYSTEM INTERFACE ${CudaHeaders_NVTX_INCLUDE_DIR})
  target_link_libraries(CudaHeaders::nvtx INTERFACE ${CMAKE_DL_LIBS})
endif()
mark_as_advanced(CudaHeaders_CUPTI_INCLUDE_DIR CudaHeaders_CUDA_INCLUDE_DIR CudaHeaders_NVTX_INCLUDE_DIR CudaHeaders_CUPTI_LIBRARY)
