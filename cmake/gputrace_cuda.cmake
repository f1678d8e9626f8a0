# GPUTRACE_HAS_CUDA: whether the trainer's CUDA backend is built, which needs nvcc and Eigen. Neither is a must.
# -DGPUTRACE_TRAINER_CUDA=OFF leaves it out; CMAKE_CUDA_ARCHITECTURES says for which GPUs (default 75, whose PTX runs on every newer one
# after a translation at its first start; "native" for those of this machine).
include(CheckLanguage)

option(GPUTRACE_TRAINER_CUDA "Build the trainer's CUDA backend where nvcc is found" ON)
set(GPUTRACE_HAS_CUDA OFF)

if(GPUTRACE_TRAINER_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(GPUTRACE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
    mark_as_advanced(GPUTRACE_NVCC)
    if(GPUTRACE_NVCC)
      set(CMAKE_CUDA_COMPILER ${GPUTRACE_NVCC})
    endif()
  endif()
  check_language(CUDA)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  find_package(CUDAToolkit QUIET)
  if(CMAKE_CUDA_COMPILER AND TARGET Eigen3::Eigen AND TARGET CUDA::cudart)
    set(GPUTRACE_HAS_CUDA ON)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 75)
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # programs link CUDA::cudart, the shared one, or a test's stand-in for it
    get_target_property(EIGEN3_INCLUDE_DIRS Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  else()
    message(STATUS "The trainer gets no CUDA backend: nvcc ${CMAKE_CUDA_COMPILER}, Eigen ${Eigen3_VERSION} (libeigen3-dev)")
  endif()
endif()
