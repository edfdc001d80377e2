# Compiler settings that every target shares.
option(TILE_BUILD_TESTS "Build the examples and the tests" ON)
option(TILE_FUZZ "Build the libFuzzer programs (clang)" OFF)
option(TILE_STATIC_LLVM "Link LLVM's static libraries into libtile" OFF)
set(TILE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # LLVM may lie outside the usual

add_compile_definitions(_POSIX_C_SOURCE=200809L)
set(TILE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wstrict-prototypes -Wmissing-prototypes -Werror)
add_compile_options(${TILE_WARNINGS} -ffp-contract=off)

# By the build ID the cache on disk tells this build's entries from those of
# others.
add_link_options(-Wl,--build-id=sha1)

if(TILE_SANITIZE)
  # For fuzzing, executions a second count; else the time of the build.
  set(level -O1)
  if(TILE_FUZZ)
    set(level -O2)
  endif()
  add_compile_options(${level} -fsanitize=${TILE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # The sanitizers call dlopen themselves, and the search path of a library is
  # only its own unless it is of the old kind.
  add_link_options(-fsanitize=${TILE_SANITIZE} -Wl,--disable-new-dtags)
endif()

# tile_sources(VARIABLE): the .c files of this folder and of its rooms, the
# folders in it that have no CMakeLists.txt of their own.
function(tile_sources variable)
  file(GLOB sources CONFIGURE_DEPENDS *.c */*.c)
  file(GLOB others CONFIGURE_DEPENDS */CMakeLists.txt)
  foreach(file ${others})
    get_filename_component(folder ${file} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# tile_layer(NAME DEPENDS...): the .c files of this folder and of its rooms as
# one library that sees only the layers it names.
function(tile_layer name)
  tile_sources(sources)
  set(sources ${sources} ${TILE_GENERATED})
  if(sources)
    add_library(${name} OBJECT ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${ARGN})
  else() # headers only, so far
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${ARGN})
  endif()
endfunction()
