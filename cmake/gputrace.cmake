# What every folder's CMakeLists.txt builds with: one interface target for the language level and the
# warnings, and a function per kind of target, so that a folder says only what is its own.

find_package(Threads REQUIRED)

add_library(gputrace_options INTERFACE)
target_compile_features(gputrace_options INTERFACE cxx_std_20)
target_compile_options(gputrace_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast)
target_include_directories(gputrace_options INTERFACE ${PROJECT_SOURCE_DIR})
set_target_properties(gputrace_options PROPERTIES INTERFACE_POSITION_INDEPENDENT_CODE ON)
if(GPUTRACE_SANITIZE)
  target_compile_options(gputrace_options INTERFACE -fsanitize=${GPUTRACE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(gputrace_options INTERFACE -fsanitize=${GPUTRACE_SANITIZE})
endif()

# Stops with one sentence that names the Debian package where a library is missing.
macro(gputrace_require_package name debian_package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "gputrace needs ${name}: install ${debian_package} (./test.sh and ./demo.sh do it on Debian).")
  endif()
endmacro()

# gputrace_library(NAME [LINKS targets...]): a static library of the .cpp files of this folder and of the plural folders
# below it (rules, importers, formats ...). A file added to such a folder is built without an edit here.
function(gputrace_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  foreach(folder ${ARG_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC gputrace_options ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  gputrace_check_headers(${name} ${ARG_FOLDERS})
endfunction()

# Each header compiles alone: one generated source per header, built with the tests.
function(gputrace_check_headers name)
  if(NOT GPUTRACE_BUILD_TESTS)
    return()
  endif()
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  foreach(folder ${ARGN})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.h)
    list(APPEND headers ${more})
  endforeach()
  set(checks)
  foreach(header ${headers})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
    string(MAKE_C_IDENTIFIER ${path} identifier)
    set(check ${CMAKE_CURRENT_BINARY_DIR}/header_checks/${identifier}.cpp)
    file(CONFIGURE OUTPUT ${check} CONTENT "#include \"${path}\"\n#include \"${path}\"  // twice: the guard holds\n")
    list(APPEND checks ${check})
  endforeach()
  if(checks)
    add_library(${name}_header_checks OBJECT ${checks})
    target_link_libraries(${name}_header_checks PRIVATE ${name})
    set_target_properties(${name}_header_checks PROPERTIES CXX_STANDARD 20)
  endif()
endfunction()

# gputrace_list(NAME HEADER TYPE FOLDER OUT): writes a .cpp that lists every object of a plural folder.
# The file's name is the object's name, so a mismatch fails at link time and no list is kept by hand.
# FUNCTION is the full name of a function that returns std::span<const TYPE* const>.
function(gputrace_list target)
  cmake_parse_arguments(ARG "" "FOLDER;HEADER;TYPE;NAMESPACE;FUNCTION" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  set(declarations "")
  set(entries "")
  foreach(file ${files})
    get_filename_component(object ${file} NAME_WE)
    string(APPEND declarations "extern const ${ARG_TYPE} ${object};\n")
    string(APPEND entries "    &${object},\n")
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FOLDER}_list.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT "// Generated from the folder ${ARG_FOLDER}.
#include \"${ARG_HEADER}\"
namespace ${ARG_NAMESPACE} {
${declarations}
namespace {
const ${ARG_TYPE}* const kAll[] = {
${entries}};
}
std::span<const ${ARG_TYPE}* const> ${ARG_FUNCTION}() { return kAll; }
}  // namespace ${ARG_NAMESPACE}
")
  target_sources(${target} PRIVATE ${out})
endfunction()

# gputrace_test(NAME LINKS...): one Catch2 program of the folder's *_test.cpp files; each TEST_CASE is a ctest test.
function(gputrace_test name)
  cmake_parse_arguments(ARG "" "" "LINKS;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *_test.cpp)
  foreach(folder rules signatures replay remedies importers exporters formats commands)
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*_test.cpp)
    list(APPEND sources ${more})
  endforeach()
  add_executable(${name} ${sources} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE gputrace_options gputrace_catch_main ${ARG_LINKS})
  target_compile_definitions(${name} PRIVATE
    GPUTRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GPUTRACE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# Every object of a plural folder has its test, or the build stops.
function(gputrace_require_tests stage folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${stage}/${folder}/*.cpp)
  foreach(source ${sources})
    get_filename_component(object ${source} NAME_WE)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/tests/${stage}/${folder}/${object}_test.cpp)
      message(FATAL_ERROR "${stage}/${folder}/${object}.cpp has no test: write tests/${stage}/${folder}/${object}_test.cpp.")
    endif()
  endforeach()
endfunction()
