# LLVM 19 through its C API: the imported target `tile_llvm`.
find_package(LLVM 19.1 CONFIG QUIET
             PATHS /usr/lib/llvm-19/lib/cmake/llvm /usr/lib/llvm-19/cmake)
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "LLVM 19.1 is needed: apt-get install llvm-19-dev, or "
                      "run ./check --setup")
endif()
add_library(tile_llvm INTERFACE)
target_include_directories(tile_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
llvm_map_components_to_libnames(tile_llvm_archives NVPTX X86 OrcJIT Passes
                                AllTargetsInfos)
if(TILE_STATIC_LLVM)
  enable_language(CXX)
  target_link_libraries(tile_llvm INTERFACE ${tile_llvm_archives})
else()
  target_link_libraries(tile_llvm INTERFACE LLVM)
  target_link_directories(tile_llvm INTERFACE ${LLVM_LIBRARY_DIRS})
  # What is installed finds LLVM where the build did.
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()
