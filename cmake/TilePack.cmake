# tile_add_pack(TARGET NAME name FILES file... VARIANTS file
#               [TARGETS cpu sm_80 ...] [CPU x86-64-v3 ...] [OPTIONS option...])
#
# Compiles kernels ahead of time and links them into TARGET, which gets the
# header name.h: name_open(), and a function name_KERNEL() for each kernel.
# A relative folder of -I, --include or --cache-dir among the options is one of
# the current source folder, as a relative file is.
# The project's languages are C, C++ or both.
# The pack is made again when a file changes that one of the files imports (in
# CMake 3.20 and newer).
if(POLICY CMP0116) # paths of the rule need not be relative to the top
  cmake_policy(SET CMP0116 NEW)
endif()

# tile_pack_check(TARGET option OUT): an error if OPTIONS may not contain the
# option; OUT is true if its value is the next argument.
function(tile_pack_check target option out)
  set(flags no-fp-fusion no-hooks debug lineinfo cubin Werror verbose)
  set(values triton include ptx-version error-limit cache-dir
      cache-size color diagnostics-format)
  set(${out} OFF PARENT_SCOPE)
  if(option MATCHES "^--(target|cpu)(=|$)")
    message(FATAL_ERROR "tile_add_pack(${target}): ${option} is no option for "
                        "OPTIONS: TARGETS and CPU have these names")
  endif()
  if(option MATCHES "^(-I.+|-v|\\$<.*)$")
    return()
  endif()
  if(option STREQUAL "-I")
    set(${out} ON PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCH "^--?([^=]*)(=?)" head "${option}")
  set(name "${CMAKE_MATCH_1}")
  set(equals "${CMAKE_MATCH_2}")
  if(head AND name IN_LIST values)
    if(NOT equals)
      set(${out} ON PARENT_SCOPE)
    endif()
  elseif(NOT head OR equals OR NOT name IN_LIST flags)
    message(FATAL_ERROR "tile_add_pack(${target}): ${option} is no option of "
                        "tilec pack that OPTIONS may have; options are written "
                        "in full")
  endif()
endfunction()

# tile_pack_options(TARGET OUT option...): the options, with absolute paths.
function(tile_pack_options target out)
  set(options)
  set(is_path OFF)
  set(is_value OFF)
  foreach(option ${ARGN})
    set(head)
    if(option MATCHES "^(-o|-MF|-MT|--(output|variants|header|record)(=|$))")
      message(FATAL_ERROR "tile_add_pack(${target}): ${option} is no option for "
                          "OPTIONS: the files that are written have NAME, and "
                          "VARIANTS has the variants")
    endif()
    if(is_value)
      set(is_value OFF)
    else()
      tile_pack_check(${target} "${option}" is_value)
    endif()
    if(option MATCHES "^(-I|--include=|--cache-dir=)(.+)$")
      set(head ${CMAKE_MATCH_1})
      set(option ${CMAKE_MATCH_2})
      set(is_path ON)
    endif()
    if(NOT is_path)
      if(option MATCHES "^(-I|--include|--cache-dir)$")
        set(is_path ON)
      endif()
    else()
      if(NOT option STREQUAL "off" AND NOT option MATCHES "^\\$<")
        get_filename_component(option "${option}" ABSOLUTE)
      endif()
      set(is_path OFF)
    endif()
    list(APPEND options "${head}${option}")
  endforeach()
  set(${out} ${options} PARENT_SCOPE)
endfunction()

function(tile_add_pack target)
  cmake_parse_arguments(PACK "" "NAME;VARIANTS" "FILES;TARGETS;CPU;OPTIONS"
                        ${ARGN})
  foreach(value ${PACK_TARGETS} ${PACK_CPU})
    if(value MATCHES "^[A-Z_]+$") # a misspelt keyword
      list(APPEND PACK_UNPARSED_ARGUMENTS ${value})
    endif()
  endforeach()
  if(PACK_UNPARSED_ARGUMENTS OR PACK_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tile_add_pack(${target}): not understood: "
                        "${PACK_UNPARSED_ARGUMENTS} "
                        "${PACK_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT PACK_NAME OR NOT PACK_FILES OR NOT PACK_VARIANTS)
    message(FATAL_ERROR "tile_add_pack(${target}): NAME, FILES and VARIANTS "
                        "are needed")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages AND NOT "CXX" IN_LIST languages)
    message(FATAL_ERROR "tile_add_pack(${target}): C or CXX is needed among "
                        "the languages of project()")
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
  tile_pack_options(${target} options ${PACK_OPTIONS})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${PACK_NAME})
  set(rule)
  if(NOT CMAKE_VERSION VERSION_LESS 3.20)
    set(rule DEPFILE ${made}.d)
  endif()
  add_custom_command(OUTPUT ${made}.c ${made}.h
    COMMAND tile::tilec pack ${files} --variants=${variants} ${arguments}
            ${options} -o ${made}.c --header=${made}.h
            -MD -MF ${made}.d -MT ${made}.c
    ${rule}
    DEPENDS tile::tilec ${files} ${variants} VERBATIM)
  if(NOT "C" IN_LIST languages)
    set_source_files_properties(${made}.c PROPERTIES LANGUAGE CXX)
  endif()
  target_sources(${target} PRIVATE ${made}.c ${made}.h)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${target} PRIVATE tile::tilert)
endfunction()
