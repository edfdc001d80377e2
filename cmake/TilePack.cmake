# tile_add_pack(TARGET NAME name FILES file... VARIANTS file
#               [TARGETS cpu sm_80 ...] [CPU x86-64-v3 ...] [OPTIONS option...])
#
# Compiles kernels ahead of time and links them into TARGET, which gets the
# header name.h: name_open(), and a function name_KERNEL() for each kernel.
function(tile_add_pack target)
  cmake_parse_arguments(PACK "" "NAME;VARIANTS" "FILES;TARGETS;CPU;OPTIONS"
                        ${ARGN})
  if(NOT PACK_NAME OR NOT PACK_FILES OR NOT PACK_VARIANTS)
    message(FATAL_ERROR "tile_add_pack(${target}): NAME, FILES and VARIANTS "
                        "are needed")
  endif()
  set(files)
  foreach(file ${PACK_FILES} ${PACK_VARIANTS})
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND files ${path})
  endforeach()
  list(POP_BACK files variants)
  set(arguments)
  if(PACK_TARGETS)
    list(JOIN PACK_TARGETS "," targets)
    list(APPEND arguments --target=${targets})
  endif()
  if(PACK_CPU)
    list(JOIN PACK_CPU "," cpus)
    list(APPEND arguments --cpu=${cpus})
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${PACK_NAME})
  add_custom_command(OUTPUT ${made}.c ${made}.h
    COMMAND tile::tilec pack ${files} --variants=${variants} ${arguments}
            ${PACK_OPTIONS} -o ${made}.c --header=${made}.h
    DEPENDS tile::tilec ${files} ${variants} VERBATIM)
  target_sources(${target} PRIVATE ${made}.c ${made}.h)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${target} PRIVATE tile::tilert)
endfunction()
