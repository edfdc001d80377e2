# LLVM through its C API: the imported target `tile_llvm`.
set(TILE_LLVM 19 CACHE STRING "The release of LLVM: 19 or 22")
set_property(CACHE TILE_LLVM PROPERTY STRINGS 19 22)
set(tile_llvm_tested 19 22)
set(tile_llvm_others 20 21)
if(TILE_LLVM IN_LIST tile_llvm_others)
  message(WARNING "LLVM ${TILE_LLVM} is not tested, "
                  "LLVM ${tile_llvm_tested} are")
elseif(NOT TILE_LLVM IN_LIST tile_llvm_tested)
  message(FATAL_ERROR "TILE_LLVM is ${TILE_LLVM}: it must be 19 to 22")
endif()
if(DEFINED TILE_LLVM_BEFORE AND NOT TILE_LLVM_BEFORE EQUAL TILE_LLVM)
  unset(LLVM_DIR CACHE) # that of the other release
endif()
set(TILE_LLVM_BEFORE ${TILE_LLVM} CACHE INTERNAL "")
# 19.0 and its like are versions before a release.
find_package(LLVM ${TILE_LLVM}.1 CONFIG QUIET
             PATHS /usr/lib/llvm-${TILE_LLVM}/lib/cmake/llvm
                   /usr/lib/llvm-${TILE_LLVM}/cmake)
if(NOT LLVM_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL TILE_LLVM)
  message(FATAL_ERROR "LLVM ${TILE_LLVM}.1 is needed: apt-get install "
                      "llvm-${TILE_LLVM}-dev, or run ./check --setup")
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
  # Installed programs find LLVM where the build did.
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

# tile_llvm_first(NAME): makes LLVM the first library of NAME. The loader looks
# up LLVM's own symbols in the libraries in their order, so that another LLVM
# could be found first.
function(tile_llvm_first name)
  if(TARGET LLVM AND NOT TILE_STATIC_LLVM) # options are in front of libraries
    target_link_options(${name} PRIVATE
        "SHELL:-Wl,--push-state,--no-as-needed $<TARGET_FILE:LLVM> -Wl,--pop-state")
  endif()
endfunction()
