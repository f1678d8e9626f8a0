# LLVMDemangle::LLVMDemangle: LLVM's demangler alone, of any LLVM from 14 on. LLVM's own package configuration looks for much more
# (terminfo, XML, FFI), which a build that needs only the demangler should not ask for.
set(_roots /usr/lib/llvm-14 /usr/lib/llvm-15 /usr/lib/llvm-16 /usr/lib/llvm-17 /usr/lib/llvm-18 /usr/lib/llvm-19)
find_path(LLVMDemangle_INCLUDE_DIR llvm/Demangle/ItaniumDemangle.h HINTS ${_roots} PATH_SUFFIXES include)
find_library(LLVMDemangle_LIBRARY LLVMDemangle HINTS ${_roots} PATH_SUFFIXES lib)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LLVMDemangle REQUIRED_VARS LLVMDemangle_INCLUDE_DIR LLVMDemangle_LIBRARY)
if(LLVMDemangle_FOUND AND NOT TARGET LLVMDemangle::LLVMDemangle)
  add_library(LLVMDemangle::LLVMDemangle STATIC IMPORTED)
  set_target_properties(LLVMDemangle::LLVMDemangle PROPERTIES IMPORTED_LOCATION ${LLVMDemangle_LIBRARY}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${LLVMDemangle_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${LLVMDemangle_INCLUDE_DIR})
endif()
mark_as_advanced(LLVMDemangle_INCLUDE_DIR LLVMDemangle_LIBRARY)
